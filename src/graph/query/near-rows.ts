import type { FeedCursor } from './feeds.js'

/** Longest next slice of time, as a multiple of the time that the candidates span that were checked one by one. */
const MAX_SLICE_FACTOR = 24

/** A match among the first candidates of a page, which are checked one by one, or the last of these candidates. */
export interface NearRow extends FeedCursor {
  /** Set in the last candidate, if the page is not full and there may be more: the time of the first. */
  readonly startTs: number | null
}

/** The rest of a page, behind the candidates that were checked. */
export interface PageRest {
  /** The last of the candidates. */
  readonly last: FeedCursor
  /** The matches that the page lacks. */
  readonly missing: number
  /** The slice of time to search first: twice as long as the rest of the page takes at the rate of the candidates. */
  readonly sliceSeconds: number
}

/** Splits rows into the matches among the candidates, in no order, and the rest of the page; null if there is none. */
export function splitNear(
  rows: readonly NearRow[],
  count: number,
): { near: FeedCursor[]; rest: PageRest | null } {
  const near = rows.flatMap(({ ts, hash, startTs }) => (startTs === null ? [{ ts, hash }] : []))
  const last = rows.find(({ startTs }) => startTs !== null)
  if (!last) return { near, rest: null }
  const missing = count - near.length
  const factor = Math.min(MAX_SLICE_FACTOR, Math.ceil((2 * missing) / Math.max(near.length, 1)))
  return { near, rest: { last, missing, sliceSeconds: factor * Math.abs(last.startTs! - last.ts) + 1 } }
}
