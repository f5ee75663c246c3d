import type { Database, Transaction } from '../db/connection.js'
import { staleViewChannel } from '../hydrate/cache-follower.js'
import type { ChannelDocument } from './channel-document.js'

/** Where a channel's casts stand below, unless it says otherwise (hub.md §7.1). */
function defaultParentUrl(id: string): string {
  return `https://farcaster.xyz/~/channel/${id}`
}

/** Why a channel was not saved. */
export type ChannelProblem = { readonly problem: string }

/**
 * Makes a channel or changes the members that are given. A new channel needs a lead. The URLs that it is known by
 * belong to no other channel.
 *
 * @param now Unix seconds.
 */
export async function saveChannel(
  db: Database,
  document: ChannelDocument,
  now: number,
): Promise<ChannelProblem | null> {
  return await db
    .begin(async (transaction) => {
      const [known] = await transaction<{ parent_url: string }[]>`
      select parent_url from channels.channels where id = ${document.id} for update
    `
      if (!known && document.lead_fid === undefined)
        return { problem: 'lead_fid is needed for a new channel' }
      if (known) await updateChannel(transaction, document)
      else await insertChannel(transaction, document, now)
      const taken = await saveUrls(transaction, document, known?.parent_url)
      if (taken) throw new TakenUrl(taken)
      await saveFollowers(transaction, document)
      await saveMembers(transaction, document)
      await dropViews(transaction, document.id)
      return null
    })
    .catch((error: unknown) => {
      if (error instanceof TakenUrl) return { problem: `${error.url} belongs to another channel` }
      throw error
    })
}

/** Ends the transaction: what it has written so far must not stand. */
class TakenUrl extends Error {
  constructor(readonly url: string) {
    super(url)
  }
}

async function insertChannel(db: Transaction, document: ChannelDocument, now: number): Promise<void> {
  const parentUrl = document.parent_url ?? defaultParentUrl(document.id)
  await db`
    insert into channels.channels (id, url, parent_url, name, lead_fid, created_at, member_count)
    values (
      ${document.id}, ${document.url ?? parentUrl}, ${parentUrl}, ${document.name ?? document.id},
      ${document.lead_fid!}, ${document.created_at ?? now}, 1
    )
  `
  await updateChannel(db, document)
}

async function updateChannel(db: Transaction, document: ChannelDocument): Promise<void> {
  const changes = columnsOf(document)
  if (Object.keys(changes).length === 0) return
  await db`update channels.channels set ${db(changes)} where id = ${document.id}`
}

/** The members that are given, as columns. */
function columnsOf(document: ChannelDocument): Record<string, string | number | number[] | Buffer | null> {
  const { pinned_cast_hash: pinned, external_link: link } = document
  const all = {
    url: document.url,
    parent_url: document.parent_url,
    name: document.name,
    description: document.description,
    description_mentions: document.description_mentions,
    description_mention_positions: document.description_mention_positions,
    image_url: document.image_url,
    header_image_url: document.header_image_url,
    lead_fid: document.lead_fid,
    moderator_fids: document.moderator_fids,
    created_at: document.created_at,
    follower_count: document.follower_count,
    member_count: document.member_count,
    pinned_cast_hash: pinned && Buffer.from(pinned.replace(/^0x/, ''), 'hex'),
    external_link_title: link === null ? null : link?.title,
    external_link_url: link === null ? null : link?.url,
  }
  return Object.fromEntries(
    Object.entries(all).flatMap(([column, value]) => (value === undefined ? [] : [[column, value]])),
  )
}

/** Adds the URLs that are given; returns one that belongs to another channel. */
async function saveUrls(
  db: Transaction,
  document: ChannelDocument,
  knownParentUrl: string | undefined,
): Promise<string | null> {
  const parentUrl = document.parent_url ?? knownParentUrl ?? defaultParentUrl(document.id)
  const urls = [...new Set([parentUrl, ...(document.parent_urls ?? [])])]
  await db`
    insert into channels.urls (url, channel_id)
    select url, ${document.id} from unnest(${db.types.texts(urls)}::text[]) as given (url)
    on conflict do nothing
  `
  const [taken] = await db<{ url: string }[]>`
    select url from channels.urls
    where url = any (${db.types.texts(urls)}::text[]) and channel_id <> ${document.id}
  `
  return taken?.url ?? null
}

async function saveFollowers(db: Transaction, { id, followers }: ChannelDocument): Promise<void> {
  if (!followers) return
  await db`delete from channels.follows where channel_id = ${id}`
  await db`
    insert into channels.follows (channel_id, fid, followed_at)
    select ${id}, fid, min(followed_at)
    from unnest(
      ${followers.map((follower) => follower.fid)}::bigint[],
      ${followers.map((follower) => follower.followed_at)}::bigint[]
    ) as given (fid, followed_at)
    group by fid
  `
  await db`
    update channels.channels
    set follower_count = (select count(*) from channels.follows where channel_id = ${id})
    where id = ${id}
  `
}

/** The lead counts as a member, whether it is in the list or not. */
async function saveMembers(db: Transaction, { id, members }: ChannelDocument): Promise<void> {
  if (!members) return
  await db`delete from channels.members where channel_id = ${id}`
  await db`
    insert into channels.members (channel_id, fid, role, member_since)
    select distinct on (fid) ${id}, fid, role, member_since
    from unnest(
      ${members.map((member) => member.fid)}::bigint[],
      ${db.types.texts(members.map((member) => member.role))}::text[],
      ${members.map((member) => member.member_since)}::bigint[]
    ) as given (fid, role, member_since)
    order by fid, role desc
  `
  await db`
    update channels.channels c
    set member_count = 1 + (
          select count(*) from channels.members m where m.channel_id = c.id and m.fid <> c.lead_fid
        ),
        moderator_fids = array(
          select fid from channels.members m where m.channel_id = c.id and role = 'moderator' order by member_since, fid
        )
    where id = ${id}
  `
}

/** Tells every process that views of the channel, and of casts below its URLs, are stale. */
async function dropViews(db: Transaction, id: string): Promise<void> {
  await db`
    select pg_notify(${staleViewChannel}, tag)
    from (
      select ${`channel:${id}`} as tag
      union all
      select 'channelUrl:' || url from channels.urls where channel_id = ${id}
    ) stale
  `
}
