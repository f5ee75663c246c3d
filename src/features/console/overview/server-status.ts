import { readConsumerLag } from '../../../hub/log/consumer.js'
import type { Database } from '../../../platform/db/connection.js'
import { migrationState } from '../../../platform/db/migrate.js'
import type { Role } from '../../../platform/process/roles.js'
import {
  listProcesses,
  missingRoles,
  type ProcessRow,
  processJson,
  readExpectedRoles,
} from '../../processes/processes.js'
import { databaseJson, readQueues, syncJson } from './overview.js'
import { readDatabaseSizes } from './sizes.js'
import { SyncWatch } from './sync-progress.js'

/** The state of a server as its database tells it; no process is asked. */
export type ServerStatus = Awaited<ReturnType<typeof readServerStatus>>

/**
 * Reads the state of a server from its database: processes, consumers, queues, sync and sizes, as JSON. `problems` say why it is
 * not ready. Details are null while the schema is not there.
 *
 * @param idleRoles Roles without work by the configuration, which are not missing.
 */
export async function readServerStatus(
  db: Database,
  clock: () => number,
  idleRoles: ReadonlySet<Role> = new Set(),
) {
  const [{ pending, unknown }, [schema]] = await Promise.all([
    migrationState(db),
    db<{ is_there: boolean; version: string }[]>`
      select to_regclass('app.job_runs') is not null as is_there, current_setting('server_version') as version`,
  ])
  const [details, expectedRoles] = schema!.is_there
    ? await Promise.all([readDetails(db, clock, schema!.version), readExpectedRoles(db, idleRoles)])
    : [null, []]
  const problems = [...migrationProblems(pending), ...roleProblems(details?.processes ?? [], expectedRoles)]
  return {
    object: 'server_status' as const,
    ready: problems.length === 0,
    problems,
    migrations: { pending: [...pending], newer: [...unknown] },
    ...(details ?? { processes: [], consumers: [], queues: [], sync: null, database: null }),
  }
}

async function readDetails(db: Database, clock: () => number, version: string) {
  const [processes, consumers, queues, sync, sizes] = await Promise.all([
    listProcesses(db),
    readConsumerLag(db),
    readQueues(db),
    new SyncWatch(db, clock).read(),
    readDatabaseSizes(db),
  ])
  return {
    processes: processes.map(processJson),
    consumers: consumers.map(({ name, shard, blocks }) => ({
      object: 'consumer' as const,
      name,
      shard,
      blocks_behind: blocks,
    })),
    queues,
    sync: sync && syncJson(sync),
    database: databaseJson(sizes, version),
  }
}

function migrationProblems(pending: readonly string[]): string[] {
  if (pending.length === 0) return []
  if (pending.length === 1) return [`the migration ${pending[0]} is not applied`]
  return [`${pending.length} migrations are not applied, the first is ${pending[0]}`]
}

function roleProblems(
  processes: readonly Pick<ProcessRow, 'roles'>[],
  expectedRoles: readonly Role[],
): string[] {
  if (processes.length === 0) return ['no process of the server is running']
  return missingRoles(processes, expectedRoles)
}
