import { cacheTag } from '../../graph/cache/cache-tags.js'
import { type CacheWriter, publishSql, uncachedWriter } from '../../graph/cache/invalidation.js'
import type { Database, Transaction } from '../../platform/db/connection.js'
import { PlazaError } from '../../platform/errors.js'
import { castHashBytes } from '../../protocol/bytes.js'
import { channelParentUrls } from '../../protocol/channel-uri.js'
import { type ChannelDocument, parseChannelDocument } from './channel-document.js'
import { type ListedUrls, moveListedUrl, removeUrls, saveUrls } from './channel-urls.js'
import { saveFollowers, saveMembers } from './document-members.js'
import { withoutGoverned } from './governed-members.js'
import { type ChannelOverrides, overriddenAfter, type SaveMode, withoutOverridden } from './overrides.js'

/** How a channel is saved, and by whom. */
export interface SaveOptions {
  /** `replace` by default. */
  readonly mode?: SaveMode
  /** The lead that may change it; without it there is no check. */
  readonly editorFid?: number
  /** URLs that the channel has no longer. */
  readonly removedUrls?: readonly string[]
  /** URLs in the list of the public client: a merge moves them between imported channels. */
  readonly listedUrls?: ListedUrls
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
  const { mode = 'replace', removedUrls = [], listedUrls = new Map() } = options
  const tags = await db.begin(async (transaction) => {
    const saved = await createOrUpdateChannel(transaction, document, nowUnix, { ...options, mode })
    const losers = mode === 'merge' ? await moveListedUrl(transaction, saved, listedUrls) : []
    await saveUrls(transaction, saved)
    const removed = await removeUrls(transaction, document.id, removedUrls)
    await saveFollowers(transaction, saved, mode)
    await saveMembers(transaction, saved, nowUnix, mode)
    return await publishChannels(transaction, [document.id, ...losers], removed)
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
 * @returns The document without what the protocol decides, and in a merge without what is overridden.
 */
async function createOrUpdateChannel(
  db: Transaction,
  document: ChannelDocument,
  nowUnix: number,
  { mode, editorFid }: SaveOptions & { readonly mode: SaveMode },
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
  const ungoverned = channel?.isOfProtocol ? await withoutGoverned(db, document, mode === 'edit') : document
  const overrides = channel ?? NO_OVERRIDES
  const saved = mode === 'merge' ? withoutOverridden(ungoverned, overrides) : ungoverned
  await updateChannel(db, saved, overriddenAfter(saved, overrides, mode), mode)
  return saved
}

const NO_OVERRIDES: ChannelOverrides = { overridden: [], localFollowers: 0, localMembers: 0 }

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
interface LockedChannel extends ChannelOverrides {
  /** Fid of the lead. */
  readonly lead: number
  readonly isOfProtocol: boolean
}

/** Locks the channel's row; null when the channel does not exist. */
async function lockRow(db: Transaction, id: string): Promise<LockedChannel | null> {
  const [row] = await db<LockedChannel[]>`
    select lead_fid as lead, protocol_id is not null as "isOfProtocol", overridden,
      local_followers as "localFollowers", local_members as "localMembers"
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

async function updateChannel(
  db: Transaction,
  document: ChannelDocument,
  overridden: readonly string[],
  mode: SaveMode,
): Promise<void> {
  const changes = {
    ...columnsOf(document),
    overridden: db.types.texts(overridden),
    ...(mode === 'merge' ? { is_imported: true } : {}),
  }
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

/**
 * Deletes a channel with its URLs, followers, members, invites and restrictions, in a process without caches. Casts stay.
 *
 * @returns Why it was not deleted; null after a success.
 */
export async function deleteChannel(db: Database, id: string): Promise<string | null> {
  return await db.begin(async (transaction) => {
    const channel = await lockRow(transaction, id)
    if (channel === null) return `there is no channel ${id}`
    if (channel.isOfProtocol) return `${id} is a channel of the protocol, which its registration keeps`
    await publishChannels(transaction, [id])
    await transaction`delete from channels.channels where id = ${id}`
    return null
  })
}

/** Publishes that views of the channels, and of casts below their URLs and former URLs, are stale. */
async function publishChannels(
  db: Transaction,
  ids: readonly string[],
  removedUrls: readonly string[] = [],
): Promise<string[]> {
  const changed = [...ids.map(cacheTag.channel), ...removedUrls.map(cacheTag.channelUrl)]
  const published = await db<{ tag: string }[]>`
    select tag, ${publishSql(db, db`tag`)}
    from (
      select unnest(${db.types.texts(changed)}::text[]) as tag
      union all
      select ${cacheTag.channelUrl('')}::text || url
      from channels.urls
      where channel_id = any (${db.types.texts(ids)}::text[])
    ) stale`
  return published.map(({ tag }) => tag)
}
