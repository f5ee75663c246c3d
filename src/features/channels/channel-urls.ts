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

/** The parent URLs of all channels that the public client lists, by id; null where it names none. */
export type ListedUrls = ReadonlyMap<string, string | null>

/**
 * Takes the channel's URL from another imported channel if the public client now lists it here: a channel was renamed,
 * or its URL has moved. The other channel keeps its remaining URLs, or gets those of its id. URLs that were set on this
 * server stay.
 *
 * @returns The ids of channels that lost a URL.
 */
export async function moveListedUrl(
  db: Transaction,
  { id, parent_url: url }: ChannelDocument,
  listedUrls: ListedUrls,
): Promise<string[]> {
  if (url === undefined) return []
  const [held] = await db<{ holder: string }[]>`
    select c.id as holder
    from channels.urls u
    join channels.channels c on c.id = u.channel_id
    where u.url = ${url} and c.id <> ${id} and c.is_imported and c.protocol_id is null
      and not c.overridden && '{parent_url,parent_urls}'
    for no key update of c`
  if (!held || mayKeep(held.holder, url, listedUrls)) return []
  const { holder } = held
  const forms = channelParentUrls(holder)
  await db`
    insert into channels.urls (url, channel_id)
    select form.url, ${holder}
    from unnest(${db.types.texts(forms)}::text[]) as form (url)
    where not exists (select from channels.urls u where u.channel_id = ${holder} and u.url <> ${url})
    on conflict do nothing`
  const moved = await db<{ id: string }[]>`
    with remaining as (
      select url from channels.urls
      where channel_id = ${holder} and url <> ${url}
      order by url = ${forms[0]} desc, url
      limit 1
    ), moved as (
      update channels.urls u set channel_id = ${id} from remaining where u.url = ${url}
      returning remaining.url
    )
    update channels.channels c
    set parent_url = case when c.parent_url = ${url} then moved.url else c.parent_url end
    from moved where c.id = ${holder}
    returning c.id`
  return moved.map((row) => row.id)
}

/** Whether the list leaves a URL to a channel, in either form of the channel's own. */
function mayKeep(holder: string, url: string, listedUrls: ListedUrls): boolean {
  const listed = listedUrls.get(holder)
  if (listed === undefined) return false
  const forms: readonly string[] = channelParentUrls(holder)
  return listed === null || listed === url || (forms.includes(listed) && forms.includes(url))
}

/**
 * Removes further URLs of a channel; one of the two forms of its own with the other.
 *
 * @returns The removed URLs.
 * @throws PlazaError for its parent URL, and for a URL of no or another channel.
 */
export async function removeUrls(
  db: Transaction,
  id: string,
  given: readonly string[],
): Promise<readonly string[]> {
  if (given.length === 0) return []
  const forms: readonly string[] = channelParentUrls(id)
  const urls = given.some((url) => forms.includes(url)) ? [...given, ...forms] : given
  const [parent] = await db<{ url: string }[]>`
    select parent_url as url from channels.channels
    where id = ${id} and parent_url = any (${db.types.texts(urls)}::text[])`
  if (parent) {
    const problem = `${parent.url} is the parent URL of ${id}: set another one with --parent-url`
    throw new PlazaError('bad_request.invalid_param', problem)
  }
  const rows = await db<{ url: string }[]>`
    delete from channels.urls where channel_id = ${id} and url = any (${db.types.texts(urls)}::text[])
    returning url`
  const removed = rows.map(({ url }) => url)
  const unknown = given.find((url) => !removed.includes(url))
  if (unknown !== undefined) throw new PlazaError('not_found', `${unknown} is no URL of ${id}`)
  return removed
}
