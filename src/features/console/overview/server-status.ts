import { readConsumerLag } from '../../../hub/log/consumer.js'
import { measureOutgoing } from '../../../hub/sync/publish/outgoing-queue.js'
import type { Database } from '../../../platform/db/connection.js'
import { migrationState, pendingText } from '../../../platform/db/migrate.js'
import type { Role } from '../../../platform/process/roles.js'
import {
  listProcesses,
  missingRoles,
  type ProcessRow,
  processJson,
  readExpectedRoles,
} from '../../processes/processes.js'
import { listFailingJobs } from '../../system/jobs.js'
import { countUnsignedWebhooks } from '../../webhooks/webhook-metrics.js'
import { databaseJson, readQueues, syncJson } from './overview.js'
import { readDatabaseSizes } from './sizes.js'
import { readUnreachedUpstreams, SyncWatch } from './sync-progress.js'

/** The state of a server as its database tells it; no process is asked. */
export type ServerStatus = Awaited<ReturnType<typeof readServerStatus>>

/** Settings of this process that say what a server should have. */
interface ConfiguredParts {
  /** Roles without work, which are not missing. */
  readonly idleRoles?: ReadonlySet<Role>
  readonly upstreams?: readonly string[]
}

/**
 * Reads the state of a server from its database: processes, consumers, queues, sync and sizes, as JSON. `problems` say why it is
 * not ready. Details are null while the schema is not there.
 */
export async function readServerStatus(
  db: Database,
  clock: () => number,
  { idleRoles = new Set(), upstreams = [] }: ConfiguredParts = {},
) {
  const [{ pending, unknown }, [schema]] = await Promise.all([
    migrationState(db),
    db<SchemaRow[]>`
      select
        to_regclass('app.job_runs') is not null as is_there,
        exists (
          select from pg_attribute
          where attrelid = to_regclass('webhooks.lanes') and attname = 'unsigned_since'
        ) as knows_unsigned,
        current_setting('server_version') as version`,
  ])
  const [details, expectedRoles] = schema!.is_there
    ? await Promise.all([
        readDetails(db, { clock, upstreams, schema: schema! }),
        readExpectedRoles(db, idleRoles),
      ])
    : [null, []]
  const problems = [
    ...(pending.length === 0 ? [] : [pendingText(pending)]),
    ...roleProblems(details?.processes ?? [], expectedRoles),
  ]
  return {
    object: 'server_status' as const,
    ready: problems.length === 0,
    problems,
    migrations: { pending: [...pending], newer: [...unknown] },
    ...(details ?? noDetails),
  }
}

/** The schema of the database of a server, which may be of an earlier version than this program. */
interface SchemaRow {
  readonly is_there: boolean
  readonly knows_unsigned: boolean
  /** Version of PostgreSQL. */
  readonly version: string
}

const noDetails = {
  processes: [],
  consumers: [],
  queues: [],
  sync: null,
  unreached_upstreams: [],
  failing_jobs: [],
  unsigned_webhooks: 0,
  unpublished: { count: 0, since: null },
  database: null,
}

interface DetailOptions {
  readonly clock: () => number
  readonly upstreams: readonly string[]
  readonly schema: SchemaRow
}

async function readDetails(db: Database, { clock, upstreams, schema }: DetailOptions) {
  const [processes, consumers, queues, sync, unreached, failing, unsigned, outgoing, sizes] =
    await Promise.all([
      listProcesses(db),
      readConsumerLag(db),
      readQueues(db),
      new SyncWatch(db, clock, upstreams).read(),
      readUnreachedUpstreams(db, upstreams),
      listFailingJobs(db),
      schema.knows_unsigned ? countUnsignedWebhooks(db) : 0,
      measureOutgoing(db),
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
    unreached_upstreams: unreached,
    failing_jobs: failing.map(({ name, error, failedAt }) => ({
      object: 'failing_job' as const,
      name,
      failed_at: failedAt.toISOString(),
      error,
    })),
    unsigned_webhooks: unsigned,
    unpublished: { count: outgoing.pending, since: outgoing.oldestAt?.toISOString() ?? null },
    database: databaseJson(sizes, schema.version),
  }
}

function roleProblems(
  processes: readonly Pick<ProcessRow, 'roles'>[],
  expectedRoles: readonly Role[],
): string[] {
  if (processes.length === 0) return ['no process of the server is running']
  return missingRoles(processes, expectedRoles)
}
