import type { Database } from '../../platform/db/connection.js'
import type { Log } from '../../platform/log/log.js'

interface BudgetRow {
  /** Connections that the live processes may open together. */
  readonly budget: number
  readonly processes: number
  /** Connections that PostgreSQL gives to this user: without those that it reserves. */
  readonly available: number
  readonly max_connections: number
}

/**
 * Warns when the live processes may together open more connections than PostgreSQL has for them: some of them would
 * then fail under load.
 */
export async function checkConnectionBudget(db: Database, log: Log): Promise<void> {
  const [row] = await db<BudgetRow[]>`
    select p.budget, p.processes, s.max_connections,
      least(
        s.max_connections - s.reserved,
        (select nullif(datconnlimit, -1) from pg_database where datname = current_database()),
        (select nullif(rolconnlimit, -1) from pg_roles where rolname = current_user)
      ) as available
    from (
      select coalesce(sum(connections), 0)::integer as budget, count(*)::integer as processes
      from app.processes where alive_until > now()
    ) p
    cross join (
      select current_setting('max_connections')::integer as max_connections,
        current_setting('superuser_reserved_connections')::integer
          + coalesce(current_setting('reserved_connections', true), '0')::integer as reserved
    ) s`
  if (row === undefined || row.budget <= row.available) return
  const { budget, processes, available, max_connections: maxConnections } = row
  log.warn(
    { budget, processes, available, maxConnections },
    `${processes} processes may open ${budget} connections, and PostgreSQL has ${available} for them ` +
      `(max_connections = ${maxConnections}): raise max_connections, or lower DATABASE_POOL`,
  )
}
