import { Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import type { Config } from '../app/config/config.js'
import { findIdleRoles } from '../app/idle-roles.js'
import { upstreamAddresses } from '../app/upstream-addresses.js'
import { readServerStatus, type ServerStatus } from '../features/console/overview/server-status.js'
import { AT_END_SECONDS } from '../features/console/overview/sync-progress.js'
import { unsignedProblems } from '../features/webhooks/webhook-metrics.js'
import { connect } from '../platform/db/connection.js'
import { POOL_END_SECONDS } from '../platform/db/pool-end.js'
import { HOUR_SECONDS } from '../platform/durations.js'
import { version } from '../platform/process/version.js'
import { tryParseJson } from '../platform/text/try-parse-json.js'
import { type CommandContext, loadConfig, UsageError } from './context.js'
import { serverAddress } from './server-address.js'
import { requireServerDatabase } from './server-database.js'
import { tableOf } from './table.js'

/** The server itself answers within 2 s. */
const HTTP_DEADLINE_MS = 3_000

/** The state of the server and what its address answers. */
type StatusReport = ServerStatus & {
  readonly version: string
  readonly http: HttpAnswer
}

/** Response of `/readyz` at the configured address. */
interface HttpAnswer {
  readonly url: string
  /** Null when nothing answers there, which may be right: the server may have another address. */
  readonly status: 'ready' | 'not ready' | null
  readonly detail: string | null
  /** Problems of a server that is ready all the same. */
  readonly shortages: readonly string[]
  readonly missing_roles: readonly string[]
}

/** Prints the state of the server, and fails if it is not ready. It starts and changes nothing. */
export async function printStatus(
  context: CommandContext,
  { json = false }: { readonly json?: boolean },
): Promise<void> {
  const config = loadConfig(context)
  const url = await requireServerDatabase(config)
  const db = connect(url, { poolSize: 1, applicationName: 'plaza status' })
  try {
    const [status, http] = await Promise.all([
      readServerStatus(db, Date.now, {
        idleRoles: findIdleRoles(config),
        upstreams: upstreamAddresses(config),
      }),
      askReadiness(config),
    ])
    const report = withHttp({ ...status, version, http })
    if (json) context.print(JSON.stringify(report))
    else for (const line of linesOf(report, config)) context.print(line)
    if (!report.ready) throw new UsageError(`the server is not ready: ${report.problems.join('; ')}`)
  } finally {
    await db.end({ timeout: POOL_END_SECONDS })
  }
}

/** A server that says it is not ready knows what the database does not tell. */
function withHttp(report: StatusReport): StatusReport {
  if (report.http.status !== 'not ready') return report
  const problem = `${report.http.url}/readyz: ${report.http.detail}`
  return { ...report, ready: false, problems: [...report.problems, problem] }
}

/** The lists are missing in replies of earlier versions. */
const Readiness = Type.Object({
  status: Type.String(),
  database: Type.String(),
  shortages: Type.Optional(Type.Array(Type.String())),
  missingRoles: Type.Optional(Type.Array(Type.String())),
})

const noLists = { shortages: [], missing_roles: [] }

/** Advice about a shortage of the database, by its name. */
const shortageAdvice: Readonly<Record<string, string>> = {
  InsufficientStorage: 'has no storage left, or hardly any: free disk space',
  InsufficientMemory: 'has no memory left for some statements: lower work_mem, or give it more memory',
  ReadOnly: 'takes no writes: connect to the primary, or see default_transaction_read_only',
}

/** The address is the operator's own, and may be private: the client for users' URLs would refuse it. */
async function askReadiness(config: Config): Promise<HttpAnswer> {
  const url = serverAddress(config)
  let text: string
  try {
    const answer = await fetch(`${url}/readyz`, {
      headers: { 'user-agent': `plaza/${version} (status)` },
      redirect: 'manual',
      signal: AbortSignal.timeout(HTTP_DEADLINE_MS),
    })
    text = await answer.text()
  } catch (error) {
    return { url, status: null, detail: reasonOf(error), ...noLists }
  }
  const body = tryParseJson(text)
  if (!Value.Check(Readiness, body))
    return { url, status: null, detail: 'another program answers there', ...noLists }
  const { status, ...parts } = body
  const lists = { shortages: parts.shortages ?? [], missing_roles: parts.missingRoles ?? [] }
  return status === 'ready'
    ? { url, status, detail: null, ...lists }
    : { url, status: 'not ready', detail: JSON.stringify(parts), ...lists }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error.name === 'TimeoutError') return `no answer within ${HTTP_DEADLINE_MS} ms`
  const cause = error.cause instanceof Error ? error.cause : error
  // Of a name with several addresses.
  return cause instanceof AggregateError ? cause.errors.map(reasonOf).join('; ') : cause.message
}

function linesOf(report: StatusReport, config: Config): string[] {
  const { processes, consumers, queues, sync, database, http } = report
  const behind = consumers.filter(({ blocks_behind }) => blocks_behind > 0)
  return [
    report.ready ? 'ready' : 'not ready',
    ...report.problems.map((problem) => `  ${problem}`),
    '',
    `version   ${version}`,
    `http      ${http.url} ${http.status ?? `does not answer: ${http.detail}`}`,
    ...(database === null
      ? []
      : [`database  ${formatBytes(database.bytes)}, PostgreSQL ${database.version}${growthOf(database)}`]),
    ...readinessLines(report),
    ...report.unreached_upstreams.map((upstream) => `sync      ${upstream}: never reached`),
    ...(sync === null ? [] : syncLines(sync)),
    ...publishingLines(report, config),
    ...report.failing_jobs.map(
      ({ name, failed_at, error }) => `problem   the job "${name}" failed at ${failed_at}: ${error}`,
    ),
    ...unsignedProblems(report.unsigned_webhooks).map((problem) => `problem   ${problem}`),
    '',
    ...tableOf(processes, {
      PROCESS: ({ host, pid }) => `${host}:${pid}`,
      ROLES: ({ roles }) => roles.join(','),
      VERSION: ({ version: its }) => its,
      CONNECTIONS: ({ connections }) => connections,
      STARTED: ({ started_at }) => started_at,
    }),
    '',
    ...(behind.length === 0
      ? [`${consumers.length} consumers are at the end of the log`]
      : tableOf(behind, {
          CONSUMER: ({ name }) => name,
          SHARD: ({ shard }) => shard,
          'BLOCKS BEHIND': ({ blocks_behind }) => blocks_behind,
        })),
    ...(queues.length === 0
      ? []
      : [
          '',
          ...tableOf(queues, {
            QUEUE: ({ name }) => name,
            STATE: ({ state }) => state,
            COUNT: ({ count }) => count,
          }),
        ]),
  ]
}

/** Lists what a ready server lacks. One that is not ready has said it in its problem. */
function readinessLines({ http, problems }: StatusReport): string[] {
  if (http.status !== 'ready') return []
  return [
    ...http.shortages.map((shortage) => `the database ${shortageAdvice[shortage] ?? `lacks ${shortage}`}`),
    ...http.missing_roles.map((role) => `no process has the role ${role}`),
  ].flatMap((problem) => (problems.includes(problem) ? [] : [`problem   ${problem}`]))
}

function syncLines({ shards, backfill }: NonNullable<ServerStatus['sync']>): string[] {
  const left = backfill.seconds_left === null ? '' : `, ${formatSeconds(backfill.seconds_left)} left`
  return [
    ...shards.map(
      ({ upstream, shard, behind_seconds }) =>
        `sync      ${upstream} shard ${shard}: ${behind_seconds <= AT_END_SECONDS ? 'at the end' : `newest block ${formatSeconds(behind_seconds)} old`}`,
    ),
    ...(backfill.remaining === 0
      ? []
      : [`backfill  ${backfill.fetched} users fetched, ${backfill.remaining} to go${left}`]),
  ]
}

function publishingLines(
  { unpublished: { count, since } }: StatusReport,
  { upstreamHub, publishUpstream }: Config,
): string[] {
  const waiting = `${count} ${count === 1 ? 'message waits' : 'messages wait'} since ${since}`
  if (publishUpstream) return [`publish   to the upstream${count === 0 ? '' : `: ${waiting}`}`]
  return [
    ...(upstreamHub === undefined
      ? []
      : ['publish   what is published here stays here: PUBLISH_UPSTREAM is not set']),
    // Of the time in which it was set.
    ...(count === 0
      ? []
      : [
          `publish   ${waiting} for the upstream, and nothing sends them: set UPSTREAM_HUB and PUBLISH_UPSTREAM=true, ` +
            'or drop them (docs/follow-the-network.md)',
        ]),
  ]
}

function growthOf({ growth_bytes_per_day: bytes }: NonNullable<ServerStatus['database']>): string {
  return bytes === null ? '' : `, ${bytes < 0 ? '-' : '+'}${formatBytes(Math.abs(bytes))} per day`
}

function formatBytes(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB']
  const power = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3))
  return `${(bytes / 1000 ** power).toFixed(power === 0 ? 0 : 1)} ${units[power]}`
}

function formatSeconds(seconds: number): string {
  if (seconds < 120) return `${seconds} s`
  if (seconds < 7_200) return `${Math.round(seconds / 60)} min`
  return `${Math.round(seconds / HOUR_SECONDS)} h`
}
