import type { Fragment } from '#postgres'
import type { Database } from '../../platform/db/connection.js'
import { type Role, roles } from '../../platform/process/roles.js'

/** A live process, as it has registered itself (`process-registry.ts`). */
export interface ProcessRow {
  readonly id: string
  readonly roles: Role[]
  readonly version: string
  readonly host: string
  readonly pid: number
  readonly connections: number
  readonly started_at: Date
}

/** The live processes of this database, oldest first. */
export async function listProcesses(db: Database): Promise<ProcessRow[]> {
  return await db<ProcessRow[]>`
    select id, roles, version, host, pid, connections, started_at
    from app.processes
    where alive_until > now()
    order by started_at, id`
}

/** Counts processes by role. Roles that have neither work nor a process are left out. */
export async function countProcesses(
  db: Database,
  idleRoles: ReadonlySet<Role> = new Set(),
): Promise<Partial<Record<Role, number>>> {
  const [rows, expected] = await Promise.all([
    db<{ role: Role; count: number }[]>`
      select role, count(*)::integer as count
      from app.processes, unnest(roles) as role
      where alive_until > now()
      group by role`,
    readExpectedRoles(db, idleRoles),
  ])
  const counts = new Map(rows.map(({ role, count }) => [role, count]))
  const shown = roles.filter((role) => counts.has(role) || expected.includes(role))
  return Object.fromEntries(shown.map((role) => [role, counts.get(role) ?? 0]))
}

/**
 * Reads which roles a process has to have: all but those without work. A position in the log of an upstream, in a chain or in a
 * public API that is imported is work of the role sync, also where only the processes that had it are configured for it.
 *
 * @param idleRoles Roles without work by the configuration of this process.
 */
export async function readExpectedRoles(db: Database, idleRoles: ReadonlySet<Role>): Promise<Role[]> {
  const [found] = await db<[{ has_positions: boolean }]>`
    select exists (select from sync.cursors) or exists (select from chain.followers) or exists (select from sync.imports)
      as has_positions`
  return roles.filter((role) => !idleRoles.has(role) || (role === 'sync' && found.has_positions))
}

/** Says which expected roles no process has. */
export function missingRoles(
  processes: readonly Pick<ProcessRow, 'roles'>[],
  expectedRoles: readonly Role[],
): string[] {
  return expectedRoles
    .filter((role) => !processes.some((process) => process.roles.includes(role)))
    .map((role) => `no process has the role ${role}`)
}

/** A process as JSON. */
export function processJson({ started_at, ...process }: ProcessRow) {
  return { object: 'process' as const, ...process, started_at: started_at.toISOString() }
}

/** Expressions that differ when the live processes have changed. */
export function processesFingerprint(db: Database): Fragment {
  return db`(select string_agg(id::text, ',' order by id) from app.processes where alive_until > now())`
}
