/** One end of a relation, and since when it is. Lists go from the newest back; of one second, by the larger fid. */
export interface RelationRow {
  readonly fid: number
  /** Unix seconds. */
  readonly since: number
}

/** Where a page ended. */
export type RelationPlace = readonly [since: number, fid: number] | null

const top = Number.MAX_SAFE_INTEGER

/** The place to begin at. */
export function placeOf(after: RelationPlace): readonly [since: number, fid: number] {
  return after ?? [top, top]
}
