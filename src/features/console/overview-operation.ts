import { OverviewResponse } from '../../graph/view/schema/overview.js'
import { readConsumerLag } from '../../hub/log/consumer.js'
import type { Database } from '../../platform/db/connection.js'
import { migrationState } from '../../platform/db/migrate.js'
import { version } from '../../platform/process/version.js'
import { defineAdminOperation } from '../admin-operation.js'
import { countWaiting } from '../miniapps/campaigns/campaign-metrics.js'
import { listProcesses, processJson } from '../processes/process-operations.js'
import { queueDepth } from '../webhooks/webhook-metrics.js'
import { readOperationTimes } from './operation-times.js'

const roles = ['api', 'worker', 'sync'] as const

/** `GET /admin/overview` */
export const getOverviewOperation = defineAdminOperation({
  method: 'GET',
  path: 'overview',
  summary: 'Fetch the state of the server',
  description:
    'Whether the server is ready, its processes, what waits, how long operations took, and sizes. Times of operations ' +
    'are those of the process that replies, since its start.',
  reply: OverviewResponse,

  async handle({ writerDb: db, metrics, clock }) {
    const [processes, migrations, consumers, deliveries, tokens, sizes, operations] = await Promise.all([
      listProcesses(db),
      migrationState(db),
      readConsumerLag(db),
      queueDepth(db),
      countWaiting(db),
      readSizes(db),
      readOperationTimes(metrics),
    ])
    const missing = roles.filter((role) => !processes.some((process) => process.roles.includes(role)))
    return {
      at: new Date(clock()).toISOString(),
      version,
      ready: migrations.pending.length === 0,
      problems: [
        ...migrations.pending.map((name) => `the migration ${name} is not applied`),
        ...missing.map((role) => `no process has the role ${role}`),
      ],
      processes: processes.map(processJson),
      counters: { messages: sizes.messages, casts: sizes.casts, users: sizes.users },
      consumers: consumers.map(({ name, shard, blocks }) => ({
        object: 'consumer' as const,
        name,
        shard,
        blocks_behind: blocks,
      })),
      queues: [
        ...deliveries.map(([state, count]) => queue('webhook deliveries', state, count)),
        ...tokens.map(({ state, tokens: count }) => queue('notification tokens', state, count)),
      ],
      operations,
      database: { bytes: sizes.bytes, version: sizes.version },
    }
  },
})

function queue(name: 'webhook deliveries' | 'notification tokens', state: string, count: number) {
  return { object: 'queue' as const, name, state, count }
}

interface SizeRow {
  readonly bytes: number
  readonly version: string
  readonly messages: number
  readonly casts: number
  readonly users: number
}

/** Sizes as PostgreSQL's statistics know them: counting rows would read the tables. */
async function readSizes(db: Database): Promise<SizeRow> {
  const [row] = await db<SizeRow[]>`
    select
      pg_database_size(current_database()) as bytes,
      current_setting('server_version') as version,
      (select coalesce(sum(n_tup_ins), 0)::bigint from pg_stat_user_tables where relid = 'hub.messages'::regclass) as messages,
      (select greatest(n_live_tup, 0) from pg_stat_user_tables where relid = 'social.casts'::regclass) as casts,
      (select greatest(n_live_tup, 0) from pg_stat_user_tables where relid = 'social.users'::regclass) as users
  `
  return row!
}
