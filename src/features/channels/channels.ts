import { cacheTag } from '../../graph/cache/cache-tags.js'
import { type CacheWriter, publishSql, uncachedWriter } from '../../graph/cache/invalidation.js'
import type { Database, Transaction } from '../../platform/db/connection.js'
import { PlazaError } from '../../platform/errors.js'
import { castHashBytes } from '../../protocol/bytes.js'
import { channelParentUrls } from '../../protocol/channel-uri.js'
import { type ChannelDocument, parseChannelDocument } from './channel-document.js'
import { saveFollowers, saveMembers } from './document-members.js'
import { withoutGoverned } from './governed-members.js'

/** Most URLs of one channel, beside the two forms of its own (docs/protocol.md §7.1). */
const MAX_URLS = 100

/** How a channel is saved, and by whom. */
export interface SaveOptions {
  /** Whether the channel must be new, must exist, or may be either. */
  readonly mode?: 'create' | 'edit' | 'either'
  /** The lead that may change it; without it there is no check. */
  readonly editorFid?: number
}

/**
 * Creates a channel or changes the given members. A new channel needs a lead, and its URLs must belong to no other
 * channel.
 *
 * @throws PlazaError for a channel that may not be saved so; names the wrong member.
 */
export async function saveChannel(
  { db, invalidation }: CacheWriter,
  document: ChannelDocument,
  nowUnix: number,
  options: SaveOptions = {},
): Promise<void> {
  const tags = await db.begin(async (transaction) => {
    const saved = await createOrUpdateChannel(transaction, document, nowUnix, options)
    await saveUrls(transaction, saved)
    await saveFollowers(transaction, saved)
    await saveMembers(transaction, saved, nowUnix)
    return await publishChannel(transaction, document.id)
  })
  invalidation.apply({ tags })
}

/** Saves a channel document in a process without caches. Returns why it was not saved; null after a success. */
export async function importChannel(
  db: Database,
  value: unknown,
  nowUnix: number,
  options: SaveOptions = {},
): Promise<string | null> {
  const document = parseChannelDocument(value)
  if ('problem' in document) return document.problem
  try {
    await saveChannel(uncachedWriter(db), document, nowUnix, options)
    return null
  } catch (error) {
    if (error instanceof PlazaError) return error.message
    throw error
  }
}

/**
 * Creates the channel, or updates it when a concurrent call created it.
 *
 * @returns The document without what the protocol decides.
 */
async function createOrUpdateChannel(
  db: Transaction,
  document: ChannelDocument,
  nowUnix: number,
  { mode = 'either', editorFid }: SaveOptions,
): Promise<ChannelDocument> {
  const { id } = document
  let channel = await lockRow(db, id)
  if (channel === null && mode === 'edit') {
    throw new PlazaError('not_found', `there is no channel ${id}`, { property: 'channel_id' })
  }
  const isNew = channel === null && (await insertChannel(db, document, nowUnix))
  if (!isNew && mode === 'create') {
    throw new PlazaError('conflict', `there is a channel ${id} already`, { property: 'channel_id' })
  }
  if (!isNew) channel ??= await lockRow(db, id)
  if (!isNew && editorFid !== undefined && editorFid !== channel?.lead) throw notLead()
  const saved = channel?.isOfProtocol ? await withoutGoverned(db, document, mode === 'edit') : document
  await updateChannel(db, saved)
  return saved
}

function notLead(): PlazaError {
  return new PlazaError('forbidden', 'only the lead of the channel may change it')
}

/**
 * Checks that a user leads a channel, before something is published that cannot be taken back.
 *
 * @throws PlazaError 403 for another user.
 */
export async function requireLead(db: Database, id: string, fid: number): Promise<void> {
  const found = await db`select from channels.channels where id = ${id} and lead_fid = ${fid}`
  if (found.length === 0) throw notLead()
}

/** State that decides about a change of a channel. */
interface LockedChannel {
  /** Fid of the lead. */
  readonly lead: number
  readonly isOfProtocol: boolean
}

/** Locks the channel's row; null when the channel does not exist. */
async function lockRow(db: Transaction, id: string): Promise<LockedChannel | null> {
  const [row] = await db<LockedChannel[]>`
    select lead_fid as lead, protocol_id is not null as "isOfProtocol"
    from channels.channels
    where id = ${id}
    for no key update`
  return row ?? null
}

/**
 * Inserts the channel.
 *
 * @returns Whether it was new.
 */
async function insertChannel(db: Transaction, document: ChannelDocument, nowUnix: number): Promise<boolean> {
  const { lead_fid: lead } = document
  if (lead === undefined) {
    throw new PlazaError('bad_request.invalid_param', 'lead_fid is required for a new channel')
  }
  const parentUrl = document.parent_url ?? channelParentUrls(document.id)[0]
  const inserted = await db`
    insert into channels.channels (id, url, parent_url, name, lead_fid, created_at, member_count)
    values (
      ${document.id}, ${document.url ?? parentUrl}, ${parentUrl}, ${document.name ?? document.id},
      ${lead}, ${document.created_at ?? nowUnix}, 1
    )
    on conflict do nothing
    returning id`
  return inserted.length > 0
}

async function updateChannel(db: Transaction, document: ChannelDocument): Promise<void> {
  const changes = columnsOf(document)
  if (Object.keys(changes).length === 0) return
  await db`update channels.channels set ${db(changes)} where id = ${document.id}`
}

/** Converts the given members to columns. */
function columnsOf(document: ChannelDocument): Record<string, string | number | number[] | Buffer | null> {
  const { pinned_cast_hash: pinned, external_link: link } = document
  const noMentions = document.description === undefined ? undefined : []
  const columns = {
    url: document.url,
    parent_url: document.parent_url,
    name: document.name,
    description: document.description,
    // Mention positions of the previous text would be wrong.
    description_mentions: document.description_mentions ?? noMentions,
    description_mention_positions: document.description_mention_positions ?? noMentions,
    image_url: document.image_url,
    header_image_url: document.header_image_url,
    created_at: document.created_at,
    follower_count: document.follower_count,
    member_count: document.member_count,
    pinned_cast_hash: pinned && castHashBytes(pinned),
    external_link_title: link === null ? null : link?.title,
    external_link_url: link === null ? null : link?.url,
  }
  return Object.fromEntries(
    Object.entries(columns).flatMap(([column, value]) => (value === undefined ? [] : [[column, value]])),
  )
}

/** Adds the given URLs, and to one of the two forms of the channel's own URL the other. */
async function saveUrls(db: Transaction, { id, parent_urls = [] }: ChannelDocument): Promise<void> {
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

/** Publishes that views of the channel, and of casts below its URLs, are stale. */
async function publishChannel(db: Transaction, id: string): Promise<string[]> {
  const published = await db<{ tag: string }[]>`
    select tag, ${publishSql(db, db`tag`)}
    from (
      select ${cacheTag.channel(id)} as tag
      union all
      select ${cacheTag.channelUrl('')}::text || url from channels.urls where channel_id = ${id}
    ) stale`
  return published.map(({ tag }) => tag)
}
