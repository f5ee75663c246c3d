import type { Transaction } from '../../platform/db/connection.js'
import { PlazaError } from '../../platform/errors.js'
import { channelParentUrls } from '../../protocol/channel-uri.js'
import type { ChannelDocument } from './channel-document.js'

/** Most URLs of one channel, beside the two forms of its own (docs/protocol.md §7.1). */
const MAX_URLS = 100

/** Adds the given URLs, and to one of the two forms of the channel's own URL the other. */
export async function saveUrls(db: Transaction, { id, parent_urls = [] }: ChannelDocument): Promise<void> {
  await db`
    with given as (
      select parent_url as url from channels.channels where id = ${id}
      union
      select unnest(${db.types.texts(parent_urls)}::text[])
    ), form as (
      select unnest(${db.types.texts(channelParentUrls(id))}::text[]) as url
    )
    insert into channels.urls (url, channel_id)
    select url, ${id} from given
    union
    select url, ${id} from form where exists (select from given join form using (url))
    on conflict do nothing`
  const [conflict] = await db<{ taken: string | null; urls: number }[]>`
    select
      (
        select u.url from channels.urls u
        where u.channel_id <> c.id
          and u.url = any (array_append(${db.types.texts(parent_urls)}::text[], c.parent_url))
        limit 1
      ) as taken,
      (
        select count(*)::integer from channels.urls u
        where u.channel_id = c.id and u.url <> all (${db.types.texts(channelParentUrls(id))}::text[])
      ) as urls
    from channels.channels c
    where c.id = ${id}`
  if (conflict?.taken) {
    throw new PlazaError('conflict', `${conflict.taken} belongs to another channel`, {
      property: 'parent_url',
    })
  }
  if (conflict && conflict.urls > MAX_URLS) {
    throw new PlazaError('bad_request.invalid_param', `a channel has at most ${MAX_URLS} parent URLs`)
  }
}
