import type { Session } from '../../platform/db/connection.js'
import type { FidIndex } from './fid-index.js'

/** Rows per statement and transaction: few, so that merges never wait long. */
const CHUNK_ROWS = 2_000

/**
 * Writes scores that differ from the stored ones by more than `epsilon`, in chunks committed one by one.
 *
 * A row locked by a merge is left for the second pass, then for the next run. The job never waits for a row
 * lock, so it cannot deadlock or fail a merge.
 *
 * @param currentScores Stored scores; NaN for none.
 * @returns The number of written rows.
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

/** Writes one chunk and returns the fids whose rows were not locked. */
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
