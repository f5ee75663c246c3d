import type { Static } from '@sinclair/typebox'
import { MAX_EVENT_LAG } from '../../../api/health.js'
import { readConsumerLag } from '../../../hub/log/consumer.js'
import type { Database } from '../../../platform/db/connection.js'
import { migrationState } from '../../../platform/db/migrate.js'
import { version } from '../../../platform/process/version.js'
import { countWaiting } from '../../miniapps/campaigns/campaign-metrics.js'
import type { OperationContext } from '../../operation.js'
import { listProcesses, missingRoles, processJson, readExpectedRoles } from '../../processes/processes.js'
import { countUnsignedWebhooks, queueDepth, unsignedProblems } from '../../webhooks/webhook-metrics.js'
import type { OverviewResponse } from '../schema/overview.js'
import { SAMPLE_MS } from './activity.js'
import { type Measures, readOtherMeasures, readOwnMeasures } from './measures.js'
import { mergeHistograms } from './operation-times.js'
import type { DatabaseSizes } from './sizes.js'
import type { SyncProgress } from './sync-progress.js'

type Overview = Static<typeof OverviewResponse>

const MAX_RECENT_ERRORS = 20

/** The state of the server as JSON. */
export async function overviewJson({
  writerDb: db,
  metrics,
  clock,
  hub,
  monitor,
}: OperationContext): Promise<Overview> {
  const [processes, expected, migrations, consumers, queues, unsigned, counters, own, others, sizes, sync] =
    await Promise.all([
      listProcesses(db),
      readExpectedRoles(db, monitor.idleRoles),
      migrationState(db),
      readConsumerLag(db),
      readQueues(db),
      countUnsignedWebhooks(db),
      readCounters(db),
      readOwnMeasures({ metrics, errors: monitor.errors }),
      readOtherMeasures(db, monitor.processId),
      monitor.readSizes(),
      monitor.readSync(),
    ])
  const isQueueLong = hub.queued() > MAX_EVENT_LAG
  const { version: databaseVersion, ...counted } = counters
  return {
    at: new Date(clock()).toISOString(),
    version,
    ready: migrations.pending.length === 0 && !isQueueLong,
    problems: [
      ...migrations.pending.map((name) => `the migration ${name} is not applied`),
      ...(isQueueLong ? [`${hub.queued()} messages wait for the event log`] : []),
      ...missingRoles(processes, expected),
      ...unsignedProblems(unsigned),
    ],
    processes: processes.map(processJson),
    counters: counted,
    activity: activityJson(monitor.activity.read()),
    consumers: consumers.map(({ name, shard, blocks }) => ({
      object: 'consumer' as const,
      name,
      shard,
      blocks_behind: blocks,
    })),
    queues,
    operations: mergeHistograms([own, ...others].map(({ operations }) => operations)),
    errors: errorsJson([own, ...others]),
    sync: sync && syncJson(sync),
    database: databaseJson(sizes, databaseVersion),
  }
}

/** Counts what waits in the queues. */
export async function readQueues(db: Database): Promise<Overview['queues']> {
  const [deliveries, tokens] = await Promise.all([queueDepth(db), countWaiting(db)])
  return [
    ...deliveries.map(([state, count]) => queue('webhook deliveries', state, count)),
    ...tokens.map(({ state, tokens: count }) => queue('notification tokens', state, count)),
  ]
}

function queue(name: 'webhook deliveries' | 'notification tokens', state: string, count: number) {
  return { object: 'queue' as const, name, state, count }
}

interface CounterRow {
  readonly messages: number
  readonly casts: number
  readonly users: number
  readonly version: string
}

/** Counters as PostgreSQL's statistics know them: counting rows would read the tables. */
async function readCounters(db: Database): Promise<CounterRow> {
  const [row] = await db<[CounterRow]>`
    select
      pg_stat_get_tuples_inserted('hub.messages'::regclass) as messages,
      greatest(pg_stat_get_live_tuples('social.casts'::regclass), 0) as casts,
      greatest(pg_stat_get_live_tuples('social.users'::regclass), 0) as users,
      current_setting('server_version') as version
  `
  return row
}

function activityJson(rates: ReturnType<OperationContext['monitor']['activity']['read']>) {
  return {
    object: 'activity' as const,
    every_seconds: SAMPLE_MS / 1000,
    until: rates.untilMs === null ? null : new Date(rates.untilMs).toISOString(),
    messages_per_second: [...rates.messagesPerSecond],
    events_per_second: [...rates.eventsPerSecond],
  }
}

/** The failures of all processes together. */
function errorsJson(processes: readonly Measures[]): Overview['errors'] {
  const counts = new Map<string, number>()
  for (const { kind, count } of processes.flatMap(({ errors }) => errors.counts)) {
    counts.set(kind, (counts.get(kind) ?? 0) + count)
  }
  const recent = processes.flatMap(({ errors }) => errors.recent).sort((a, b) => b.atMs - a.atMs)
  return {
    last_hour: [...counts]
      .map(([kind, count]) => ({ object: 'error_count' as const, kind, count }))
      .sort((a, b) => b.count - a.count),
    recent: recent.slice(0, MAX_RECENT_ERRORS).map(({ atMs, kind, message, traceId }) => ({
      object: 'recent_error' as const,
      at: new Date(atMs).toISOString(),
      kind,
      message,
      ...(traceId === undefined ? {} : { trace_id: traceId }),
    })),
  }
}

/** The progress of the sync as JSON. */
export function syncJson({ shards, backfill, secondsLeft }: SyncProgress): NonNullable<Overview['sync']> {
  return {
    shards: shards.map(({ upstream, shard, behindSeconds }) => ({
      object: 'synced_shard' as const,
      upstream,
      shard,
      behind_seconds: behindSeconds,
    })),
    backfill: {
      fetched: backfill.fetched,
      remaining: backfill.remaining,
      seconds_left: backfill.secondsLeft,
    },
    seconds_left: secondsLeft,
  }
}

/** The sizes of the database as JSON. */
export function databaseJson(
  { bytes, growthBytesPerDay, tables, history }: DatabaseSizes,
  version: string,
): Overview['database'] {
  return {
    bytes,
    version,
    growth_bytes_per_day: growthBytesPerDay,
    tables: tables.map((table) => ({ object: 'table_size' as const, ...table })),
    history: history.map(({ at, bytes: size }) => ({ at: at.toISOString(), bytes: size })),
  }
}
