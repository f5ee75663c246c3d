/** One end of a relation, and since when it is. Lists go from the newest back; of one second, by the larger fid. */
export interface RelationRow {
  readonly fid: number
  /** Unix seconds. */
  readonly since: number
}

/** Where a page ended. */
export type RelationCursor = readonly [since: number, fid: number] | null

const MAX_VALUE = Number.MAX_SAFE_INTEGER

/** The place to begin at. */
export function cursorOrFirstPage(after: RelationCursor): readonly [since: number, fid: number] {
  return after ?? [MAX_VALUE, MAX_VALUE]
}
