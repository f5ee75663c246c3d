import type { Database } from '../../platform/db/connection.js'

/** A partition of a table. */
interface PartitionRow {
  readonly table: string
  readonly name: string
  readonly bounds: string
  readonly bytes: number
  readonly rows: number
}

/** Lists the partitions of all tables, with estimated rows. One that is dropped meanwhile has no size, and is left out. */
export async function listPartitions(db: Database): Promise<PartitionRow[]> {
  return await db<PartitionRow[]>`
    select i.inhparent::regclass::text as table, c.oid::regclass::text as name,
      pg_get_expr(c.relpartbound, c.oid) as bounds, pg_total_relation_size(c.oid) as bytes,
      greatest(c.reltuples, 0)::bigint as rows
    from pg_inherits i
    join pg_class c on c.oid = i.inhrelid
    where c.relispartition and c.relkind = 'r' and pg_total_relation_size(c.oid) is not null
    order by 1, 2`
}
