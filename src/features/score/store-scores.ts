import type { Session } from '../../platform/db/connection.js'
import type { FidIndex } from './fid-index.js'

/** Rows of one statement and one transaction: few enough that a merge never waits for long. */
const CHUNK_ROWS = 2_000

/**
 * Writes the scores that differ from those that stand by more than `epsilon`, in chunks
 * that are committed one by one.
 *
 * A row that a merge is writing at this moment is left for the second pass, and then for the next run: the
 * job waits for no row's lock, so it can be part of no deadlock and fail no merge.
 *
 * @param currentScores the scores that stand; NaN where there is none
 * @returns how many rows were written
 */
export async function storeScores(
  session: Session,
  { fids }: FidIndex,
  scores: Float64Array,
  currentScores: Float64Array,
  epsilon: number,
  signal: AbortSignal,
): Promise<number> {
  const changed = [...scores.keys()].filter(
    (user) => !(Math.abs(scores[user]! - currentScores[user]!) <= epsilon),
  )
  let written = 0
  const lockedUsers: number[] = []
  for (const chunk of chunksOf(changed)) {
    signal.throwIfAborted()
    const writtenFids = new Set(await storeChunk(session, fids, scores, chunk))
    written += writtenFids.size
    lockedUsers.push(...chunk.filter((user) => !writtenFids.has(fids[user]!)))
  }
  for (const chunk of chunksOf(lockedUsers)) {
    signal.throwIfAborted()
    written += (await storeChunk(session, fids, scores, chunk)).length
  }
  return written
}

function* chunksOf(users: readonly number[]): Generator<readonly number[]> {
  for (let start = 0; start < users.length; start += CHUNK_ROWS) yield users.slice(start, start + CHUNK_ROWS)
}

/** Returns the fids whose rows were free. */
async function storeChunk(
  session: Session,
  fids: Float64Array,
  scores: Float64Array,
  users: readonly number[],
): Promise<number[]> {
  const rows = await session<{ fid: number }[]>`
    with scored as (
      select *
      from unnest(
        ${users.map((user) => fids[user]!)}::bigint[],
        ${users.map((user) => String(Math.fround(scores[user]!)))}::text[]::real[]
      ) as scored (fid, score)
    ), free as (
      select u.fid
      from social.users u
      join scored using (fid)
      for no key update of u skip locked
    )
    update social.users u
    set score = scored.score
    from scored
    join free using (fid)
    where u.fid = scored.fid
    returning u.fid
  `
  return rows.map(({ fid }) => fid)
}
