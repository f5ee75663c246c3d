import type { Fragment } from '#postgres'
import type { Database } from './connection.js'

/** Rows that are counted at most. */
const MAX_COUNTED = 1_000

/** Counts rows (`table where …`), up to 1,000, as an expression of a fingerprint. */
export function countOf(db: Database, rows: Fragment): Fragment {
  return db`(select count(*) from (select from ${rows} limit ${MAX_COUNTED}) counted)`
}

/**
 * Counts the rows of tables that were inserted, updated and deleted since PostgreSQL began to count, as an expression of a
 * fingerprint: for what has no index. A busy connection writes these counters every second, an idle one after ten.
 */
export function writesTo(db: Database, tables: readonly string[]): Fragment {
  return db`(
    select sum(
      pg_stat_get_tuples_inserted(to_regclass(name))
      + pg_stat_get_tuples_updated(to_regclass(name))
      + pg_stat_get_tuples_deleted(to_regclass(name))
    )
    from unnest(${db.types.texts([...tables])}::text[]) as name
  )`
}
