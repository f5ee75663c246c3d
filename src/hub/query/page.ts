import type { PendingQuery, Row } from '#postgres'
import type { Database } from '../../platform/db/connection.js'

/** The part of a list that a request asks for. */
export interface PageOptions<Cursor> {
  readonly limit: number
  /** Highest or newest first. */
  readonly reverse: boolean
  /** The page starts after this entry; null starts at the first. */
  readonly after: Cursor | null
}

/** A page that is bounded by the size of its entries as well. */
export interface SizedPageOptions<Cursor> extends PageOptions<Cursor> {
  /** A page ends early once its entries have this many bytes, `MAX_PAGE_BYTES` by default. The first is there, however large. */
  readonly maxBytes?: number
}

/** Splits rows, of which one more than the limit was read, into the page and its end; null if it is the last. */
export function splitPage<Row>(rows: readonly Row[], limit: number): { page: Row[]; last: Row | null } {
  const page = rows.slice(0, limit)
  return { page, last: page.length < rows.length ? page.at(-1)! : null }
}

/** Splits rows as `splitPage` does, and ends the page before the first row that does not fit (`fitsPage`). */
export function splitSizedPage<Row extends { readonly fits: boolean }>(
  rows: readonly Row[],
  limit: number,
): { page: Row[]; last: Row | null } {
  return splitPage(rows, Math.min(limit, rows.filter(({ fits }) => fits).length))
}

/** A fragment of SQL. */
type Fragment = PendingQuery<Row[]>

/** The expression whether a row fits a page: the rows before it, in this order, have less than `maxBytes`. */
export function fitsPage(
  db: Database,
  { bytes, order, maxBytes }: { bytes: Fragment; order: Fragment; maxBytes: number },
): Fragment {
  return db`
    coalesce(
      sum(${bytes}) over (order by ${order} rows between unbounded preceding and 1 preceding),
      0
    ) < ${maxBytes}::bigint
  `
}
