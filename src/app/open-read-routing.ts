import { Counter, Gauge } from 'prom-client'
import type { LoggedEvent } from '../hub/log/write.js'
import { parseDatabaseUrl, parseReplicaUrls } from '../platform/db/database-url.js'
import { PrimaryLog } from '../platform/db/replicas/primary-log.js'
import { ReadRouting } from '../platform/db/replicas/read-routing.js'
import { RecentWrites, type WriterKey } from '../platform/db/replicas/recent-writes.js'
import { Replica } from '../platform/db/replicas/replica.js'
import type { Metrics } from '../platform/metrics.js'
import type { Config } from './config/config.js'
import type { ServerApp } from './module.js'

/** The routing of reads to replicas, while it follows them. */
export interface OpenReadRouting {
  readonly routing: ReadRouting
  stop(): Promise<void>
}

/** A write is remembered so much longer than a replica may lag: until a replica that falls behind is noticed. */
const NOTICE_MS = 2_000

/** Opens the replicas of `DATABASE_REPLICA_URL`; null without any. */
export function openReadRouting(
  config: Pick<Config, 'databaseReplicaUrl' | 'replicaMaxLagMs' | 'replicaPool' | 'requestTimeoutMs'>,
  { connections, metrics, log, tracing }: Pick<ServerApp, 'connections' | 'metrics' | 'log' | 'tracing'>,
): OpenReadRouting | null {
  const urls = parseReplicaUrls(config.databaseReplicaUrl ?? '')
  if (urls.length === 0) return null
  const { replicaMaxLagMs: maxLagMs, replicaPool: poolSize, requestTimeoutMs } = config
  const keepMs = maxLagMs + NOTICE_MS
  // The position is a short statement, as lookups for views are.
  const primaryLog = new PrimaryLog(connections.views, keepMs)
  const replicas = urls.map(
    (url) =>
      new Replica({
        url,
        name: nameOf(url),
        poolSize,
        maxLagMs,
        requestTimeoutMs,
        traces: tracing.isOn,
        primaryLog,
        log,
      }),
  )
  const stopping = new AbortController()
  const following = [primaryLog, ...replicas].map((each) => each.follow(stopping.signal))
  const routing = new ReadRouting({
    primary: connections.read,
    primaryLog,
    replicas,
    writes: new RecentWrites(keepMs),
    onRead: observeReplicas(metrics, replicas),
  })
  return {
    routing,
    async stop() {
      stopping.abort()
      await Promise.all(following)
    },
  }
}

/** The users whose messages were merged. */
export function writersOf(events: readonly LoggedEvent[]): Set<WriterKey> {
  return new Set(events.flatMap(({ fid }) => (fid === null ? [] : [`fid ${fid}` as const])))
}

/** Host and port of a URL, wherever it has them, without its user and password. */
function nameOf(url: string): string {
  return parseDatabaseUrl(url)
    .hosts.map(({ host, port }) => `${host.includes(':') ? `[${host}]` : host}:${port}`)
    .join(',')
}

/** Adds the metrics of replicas. Returns the counter of reads. */
function observeReplicas({ registry }: Metrics, replicas: readonly Replica[]) {
  const registers = [registry]
  new Gauge({
    name: 'plaza_replica_lag_seconds',
    help: 'How long a replica has lacked something of the primary; absent while it does not answer',
    labelNames: ['replica'],
    registers,
    collect() {
      this.reset()
      for (const { name, lagSeconds } of replicas) {
        if (lagSeconds !== undefined) this.set({ replica: name }, lagSeconds)
      }
    },
  })
  new Gauge({
    name: 'plaza_replica_in_use',
    help: '1 when requests read from a replica, 0 while it is away, lags too much or is no standby',
    labelNames: ['replica'],
    registers,
    collect() {
      for (const { name, isUsable } of replicas) this.set({ replica: name }, isUsable ? 1 : 0)
    },
  })
  const reads = new Counter({
    name: 'plaza_replica_reads_total',
    help:
      'Reads of requests. By replica: used, waited (for the writes of the caller), failed (read again on the primary). ' +
      'Without: behind (no replica had the writes of the caller in time), unavailable',
    labelNames: ['replica', 'outcome'],
    registers,
  })
  return (replica: string | null, outcome: string) => reads.inc({ replica: replica ?? 'none', outcome })
}
