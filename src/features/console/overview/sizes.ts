import type { Database } from '../../../platform/db/connection.js'
import { DAY_SECONDS } from '../../../platform/durations.js'

const MAX_TABLES = 12
const KEPT_DAYS = 90
/** Growth is that of the last week. */
const GROWTH_DAYS = 7

/** Notes the size of the database, and forgets those of long ago. */
export async function sampleDatabaseSize(db: Database): Promise<void> {
  await db`
    with expired as (
      delete from app.database_sizes where at < now() - ${KEPT_DAYS} * interval '1 day'
    )
    insert into app.database_sizes (bytes)
    select pg_database_size(current_database())
    where not exists (select from app.database_sizes where at > now() - interval '30 minutes')
  `
}

/** The sizes of the database and its largest tables. */
export interface DatabaseSizes {
  readonly bytes: number
  /** Null before there is a sample that is an hour old. */
  readonly growthBytesPerDay: number | null
  readonly tables: readonly { readonly name: string; readonly bytes: number; readonly rows: number }[]
  /** The last sample of each day. */
  readonly history: readonly { readonly at: Date; readonly bytes: number }[]
}

/** Reads the sizes: PostgreSQL looks at every file of the database, so do not read them often. */
export async function readDatabaseSizes(db: Database): Promise<DatabaseSizes> {
  const [[size], [before], tables, history] = await Promise.all([
    db<{ bytes: number }[]>`select pg_database_size(current_database()) as bytes`,
    db<{ bytes: number; seconds: number }[]>`
      select bytes, extract(epoch from now() - at)::float8 as seconds
      from app.database_sizes
      where at between now() - ${GROWTH_DAYS} * interval '1 day' and now() - interval '1 hour'
      order by at
      limit 1
    `,
    readTables(db),
    db<{ at: Date; bytes: number }[]>`
      select distinct on (at::date) at, bytes from app.database_sizes order by at::date, at desc
    `,
  ])
  const growth = before ? ((size!.bytes - before.bytes) / before.seconds) * DAY_SECONDS : null
  return {
    bytes: size!.bytes,
    growthBytesPerDay: growth === null ? null : Math.round(growth),
    tables,
    history,
  }
}

/** With their indexes; the partitions of a table together. Rows are estimated. A table that is dropped meanwhile has no size. */
async function readTables(db: Database): Promise<DatabaseSizes['tables']> {
  return await db<{ name: string; bytes: number; rows: number }[]>`
    select
      root.oid::regclass::text as name,
      sum(pg_total_relation_size(c.oid))::bigint as bytes,
      sum(greatest(pg_stat_get_live_tuples(c.oid), 0))::bigint as rows
    from pg_class c
    join pg_namespace n on n.oid = c.relnamespace
    join pg_class root on root.oid = coalesce(pg_partition_root(c.oid), c.oid)
    where c.relkind in ('r', 'm') and n.nspname not in ('pg_catalog', 'information_schema')
    group by root.oid
    having sum(pg_total_relation_size(c.oid)) is not null
    order by bytes desc, name
    limit ${MAX_TABLES}
  `
}
