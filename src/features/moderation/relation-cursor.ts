/** One end of a relation, and when it began. Lists are ordered by time, then fid, both descending. */
export interface RelationRow {
  readonly fid: number
  /** Unix seconds. */
  readonly since: number
}

/** The last row of the previous page. */
export type RelationCursor = readonly [since: number, fid: number] | null

const MAX_VALUE = Number.MAX_SAFE_INTEGER

/** Returns the cursor, or a position before every row for the first page. */
export function cursorOrFirstPage(after: RelationCursor): readonly [since: number, fid: number] {
  return after ?? [MAX_VALUE, MAX_VALUE]
}
