import type { Database } from '../../platform/db/connection.js'

/** One block between two users. */
export interface BlockRow {
  readonly blockerFid: number
  readonly blockedFid: number
  /** Farcaster seconds. */
  readonly ts: number
}

/** The last row of the previous page: Farcaster seconds and the other user's fid. */
export type BlockCursor = readonly [ts: number, fid: number] | null

const MAX_VALUE = Number.MAX_SAFE_INTEGER
const firstPageCursor: readonly [number, number] = [MAX_VALUE, MAX_VALUE]

/** Lists the users that a user blocks, newest first. */
export function listBlocked(
  db: Database,
  blockerFid: number,
  limit: number,
  after: BlockCursor,
): Promise<BlockRow[]> {
  const [ts, fid] = after ?? firstPageCursor
  return db<BlockRow[]>`
    select fid as "blockerFid", target_fid as "blockedFid", ts
    from social.blocks
    where fid = ${blockerFid} and (ts, target_fid) < (${ts}::bigint, ${fid}::bigint)
    order by ts desc, target_fid desc
    limit ${limit}
  `
}

/** Lists the users that block a user, newest first. */
export function listBlockers(
  db: Database,
  blockedFid: number,
  limit: number,
  after: BlockCursor,
): Promise<BlockRow[]> {
  const [ts, fid] = after ?? firstPageCursor
  return db<BlockRow[]>`
    select fid as "blockerFid", target_fid as "blockedFid", ts
    from social.blocks
    where target_fid = ${blockedFid} and (ts, fid) < (${ts}::bigint, ${fid}::bigint)
    order by ts desc, fid desc
    limit ${limit}
  `
}

/** Finds the block between two users; null when there is none. */
export async function findBlock(
  db: Database,
  blockerFid: number,
  blockedFid: number,
): Promise<BlockRow | null> {
  const [row] = await db<BlockRow[]>`
    select fid as "blockerFid", target_fid as "blockedFid", ts
    from social.blocks
    where fid = ${blockerFid} and target_fid = ${blockedFid}
  `
  return row ?? null
}
