import type { Database } from '../../../platform/db/connection.js'
import { isRefusal } from '../../../platform/errors.js'
import { decodeMessage } from '../../../protocol/codec.js'
import { ReactionType } from '../../../protocol/definitions.js'
import { readPages } from '../account/paged-calls.js'
import { enqueueChannels, enqueueFids, listFids } from '../backfill/fid-list.js'
import type { Upstreams } from '../client/upstreams.js'
import {
  addSelectedUsers,
  readSelectedUsers,
  type SelectedUserRow,
  type SelectionReason,
  setConfiguredUsers,
} from './selected-rows.js'
import type { SubsetSettings } from './selected-users.js'

/** Casts whose neighbors are requested at the same time. */
const CAST_CONCURRENCY = 8
const PAGE_CASTS = 1_000
/** Nodes list reactions to a cast for one type at a time. */
const REACTION_TYPES = [ReactionType.LIKE, ReactionType.RECAST]

/**
 * Selects the neighbors of users: whom they follow, by local data, and who reacts or replies to them, by the
 * upstream. @throws UpstreamFailure
 */
export async function findNeighbors(
  db: Database,
  upstreams: Upstreams,
  fids: readonly number[],
  signal: AbortSignal,
): Promise<void> {
  const follows = await db<SelectedUserRow[]>`
    select target_fid as fid, 'follow' as reason, fid as via from social.follows where fid = any (${[...fids]}::bigint[])
  `
  await addSelectedUsers(db, follows)
  for await (const casts of castsOf(db, fids)) {
    for (let at = 0; at < casts.length && !signal.aborted; at += CAST_CONCURRENCY) {
      const lists = casts
        .slice(at, at + CAST_CONCURRENCY)
        .flatMap((castId) => [
          ...REACTION_TYPES.map((reactionType) =>
            readPages(upstreams, 'getReactionsByCast', { targetCastId: castId, reactionType }, signal),
          ),
          readPages(upstreams, 'getCastsByParent', { parentCastId: castId }, signal),
        ])
      await Promise.all(lists.map((pages) => selectAuthors(db, pages, 'interaction')))
    }
  }
}

async function selectAuthors(
  db: Database,
  pages: AsyncGenerator<readonly Buffer[]>,
  reason: SelectionReason,
): Promise<void> {
  for await (const page of pages) {
    const messages = page.map(decodeMessage)
    const fids = new Set(messages.flatMap((message) => (isRefusal(message) ? [] : [message.data.fid])))
    await addSelectedUsers(
      db,
      [...fids].map((fid) => ({ fid, reason, via: 0 })),
    )
  }
}

async function* castsOf(
  db: Database,
  fids: readonly number[],
): AsyncGenerator<{ readonly fid: number; readonly hash: Buffer }[]> {
  let after: Buffer = Buffer.alloc(0)
  for (;;) {
    const casts = await db<{ fid: number; hash: Buffer }[]>`
      select fid, hash from social.casts
      where fid = any (${[...fids]}::bigint[]) and hash > ${after}
      order by hash
      limit ${PAGE_CASTS}
    `
    if (casts.length > 0) yield casts
    if (casts.length < PAGE_CASTS) return
    after = casts.at(-1)!.hash
  }
}

/** Queues all users to fetch, of the network or the selection; returns their number. @throws UpstreamFailure */
export async function listSelectedFids(
  db: Database,
  upstreams: Upstreams,
  subset: SubsetSettings | null,
  signal: AbortSignal,
): Promise<number> {
  if (subset === null) return await listFids(db, upstreams, signal)
  await setConfiguredUsers(db, subset.fids)
  for (const parentUrl of subset.channelUrls) {
    await selectAuthors(db, readPages(upstreams, 'getCastsByParent', { parentUrl }, signal), 'channel')
  }
  await enqueueChannels(db)
  const fids = new Set((await readSelectedUsers(db)).map(({ fid }) => fid))
  await enqueueFids(db, [...fids])
  return fids.size
}
