/** The part of a list that a request asks for. */
export interface PageOptions<Cursor> {
  readonly limit: number
  /** Highest or newest first. */
  readonly reverse: boolean
  /** The page starts after this entry; null starts at the first. */
  readonly after: Cursor | null
}

/** Splits rows, of which one more than the limit was read, into the page and its end; null if it is the last. */
export function splitPage<Row>(rows: readonly Row[], limit: number): { page: Row[]; last: Row | null } {
  const page = rows.slice(0, limit)
  return { page, last: page.length < rows.length ? page.at(-1)! : null }
}
