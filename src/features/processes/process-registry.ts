import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { Gauge } from 'prom-client'
import type { Database } from '../../platform/db/connection.js'
import { reportFirstFailure } from '../../platform/log/first-failure.js'
import type { Log } from '../../platform/log/log.js'
import type { Metrics } from '../../platform/metrics.js'
import { pause } from '../../platform/process/pause.js'
import type { Role } from '../../platform/process/roles.js'
import { version } from '../../platform/process/version.js'
import { checkConnectionBudget } from './connection-budget.js'
import { countProcesses } from './processes.js'

/** The processes of this database, as this one sees them. */
export type ProcessRegistry = Awaited<ReturnType<typeof registerProcess>>

const HEARTBEAT_MS = 3_000
/** A process without a heartbeat for this long counts as dead: three were missed. */
const ALIVE_SECONDS = 10

/** Registration of a process. */
export interface ProcessDetails {
  readonly roles: ReadonlySet<Role>
  /** Most connections to the database that it opens. */
  readonly connections: number
  /** Roles without work by the configuration: without a process they are not missing. */
  readonly idleRoles?: ReadonlySet<Role>
  /** Milliseconds between two heartbeats, for tests. */
  readonly heartbeatMs?: number
}

/** Registers this process, and keeps its heartbeat until it stops. */
export async function registerProcess(db: Database, details: ProcessDetails, log: Log) {
  const id = randomUUID()
  const startedMs = performance.now()
  const stopping = new AbortController()
  const heartbeat = () => writeHeartbeat(db, { id, startedMs }, details)
  await heartbeat()
  await checkConnectionBudget(db, log)
  const heartbeatLoop = keepHeartbeat(heartbeat, {
    everyMs: details.heartbeatMs ?? HEARTBEAT_MS,
    log,
    signal: stopping.signal,
  })
  const countByRole = () => countProcesses(db, details.idleRoles)
  return {
    id,
    countByRole,
    /** Adds the number of live processes by role to the metrics. */
    observe: (metrics: Metrics) => observeRoles(metrics, countByRole),
    /** Deregisters this process. */
    async stop() {
      stopping.abort()
      await heartbeatLoop
      // Without it, the others count this process for some seconds more.
      await db`delete from app.processes where id = ${id}`.catch(() => {})
    },
  }
}

async function keepHeartbeat(
  heartbeat: () => Promise<void>,
  { everyMs, log, signal }: { readonly everyMs: number; readonly log: Log; readonly signal: AbortSignal },
): Promise<void> {
  const tryHeartbeat = reportFirstFailure(heartbeat, (error) =>
    log.warn({ err: error }, 'the heartbeat of this process could not be written'),
  )
  while (!signal.aborted) {
    await pause(everyMs, signal)
    if (!signal.aborted) await tryHeartbeat()
  }
}

async function writeHeartbeat(
  db: Database,
  { id, startedMs }: { readonly id: string; readonly startedMs: number },
  { roles, connections }: ProcessDetails,
): Promise<void> {
  await db`
    with expired as (
      delete from app.processes where alive_until < now() - interval '1 minute'
    )
    insert into app.processes (id, roles, version, host, pid, connections, started_at, alive_until)
    values (
      ${id}::uuid, ${db.types.texts([...roles])}::text[], ${version}, ${hostname()}, ${process.pid},
      ${connections}::integer, now() - make_interval(secs => ${(performance.now() - startedMs) / 1000}),
      now() + make_interval(secs => ${ALIVE_SECONDS})
    )
    on conflict (id) do update set alive_until = excluded.alive_until`
}

function observeRoles({ registry }: Metrics, countByRole: () => ReturnType<typeof countProcesses>): void {
  new Gauge({
    name: 'plaza_role_processes',
    help: 'Live processes with a role; 0 where nobody does its work, absent where there is none',
    labelNames: ['role'],
    registers: [registry],
    async collect() {
      this.reset()
      const counts = await countByRole().catch(() => null)
      for (const [role, count] of Object.entries(counts ?? {})) this.set({ role }, count)
    },
  })
}
