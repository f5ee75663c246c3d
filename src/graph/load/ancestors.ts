import type { Fragment } from '#postgres'
import type { Database } from '../../platform/db/connection.js'

/** A deeper reply depends on more casts than a cached view has tags for. */
const MAX_ANCESTORS = 64

/** A stored reply and the cast that it names as its parent. */
interface ReplyRow {
  readonly hash: string
  readonly fid: number
  readonly parentHash: string
  readonly parentFid: number
}

/**
 * Finds the casts that the replies from each cast up to the beginning of its thread name as their parents, stored or not.
 *
 * @param hashes Of replies, as lowercase hex without 0x, as in the result.
 * @returns null for a reply with more than `MAX_ANCESTORS`.
 */
export async function loadAncestors(
  db: Database,
  hashes: readonly string[],
): Promise<ReadonlyMap<string, readonly string[] | null>> {
  if (hashes.length === 0) return new Map()
  const rows = await readReplies(db, hashes)
  const replies = new Map(rows.map((row) => [row.hash, row]))
  return new Map(
    hashes.flatMap((hash) => {
      const reply = replies.get(hash)
      return reply === undefined ? [] : [[hash, ancestorsOf(reply, replies)] as const]
    }),
  )
}

/** The parents that a reply and those above it name, from below. */
function ancestorsOf(reply: ReplyRow, replies: ReadonlyMap<string, ReplyRow>): readonly string[] | null {
  const ancestors: string[] = []
  let current: ReplyRow | undefined = reply
  while (current !== undefined) {
    if (ancestors.length === MAX_ANCESTORS) return null
    ancestors.push(current.parentHash)
    const parent = replies.get(current.parentHash)
    current = parent?.fid === current.parentFid ? parent : undefined
  }
  return ancestors
}

/**
 * Reads replies and those above them. The walk begins above the uppermost ones, once for each, so a chain of 500 requested
 * replies reads 564 rows, and not 64 for each.
 */
async function readReplies(db: Database, hashes: readonly string[]): Promise<ReplyRow[]> {
  return await db<ReplyRow[]>`
    with recursive requested as materialized (
      select c.hash, c.fid, c.parent_hash, c.parent_fid
      from social.casts c
      where c.parent_hash is not null
        and c.hash = any (
          array(select decode(hash, 'hex') from unnest(${db.types.texts(hashes)}::text[]) as given (hash))
        )
    ),
    starts as (
      select distinct r.parent_hash, r.parent_fid
      from requested r
      where not exists (select from requested parent where parent.hash = r.parent_hash)
    ),
    above (hash, fid, parent_hash, parent_fid, level) as (
      select p.*, 1
      from starts s
      cross join lateral (${replyAt(db, db`s.parent_hash`, db`s.parent_fid`)}) p
      union
      select p.*, a.level + 1
      from above a
      cross join lateral (${replyAt(db, db`a.parent_hash`, db`a.parent_fid`)}) p
      where a.level < ${MAX_ANCESTORS}
    )
    select encode(hash, 'hex') as hash, fid, encode(parent_hash, 'hex') as "parentHash", parent_fid as "parentFid"
    from (
      select hash, fid, parent_hash, parent_fid from requested
      union
      select hash, fid, parent_hash, parent_fid from above
    ) replies`
}

/** The reply of a hash and an author: one lookup by the key, whatever the planner takes the walk for. */
function replyAt(db: Database, hash: Fragment, fid: Fragment) {
  return db`
    select c.hash, c.fid, c.parent_hash, c.parent_fid
    from social.casts c
    where c.hash = ${hash} and c.fid = ${fid} and c.parent_hash is not null
    limit 1`
}
