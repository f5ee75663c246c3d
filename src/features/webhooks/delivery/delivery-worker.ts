import { randomUUID } from 'node:crypto'
import { type Runner, run } from 'graphile-worker'
import type { Database } from '../../../platform/db/connection.js'
import { HEARTBEAT_MS } from '../../../platform/db/worker-registry.js'
import type { Log } from '../../../platform/log/log.js'
import { pause } from '../../../platform/process/pause.js'
import { Dispatcher, type DispatcherOptions } from './dispatcher.js'
import { jobLogger } from './job-logger.js'
import { type DeliveryJobPayload, deliveryTask } from './jobs.js'
import { deliveryWorkers, findDueWebhooks, laneChannel } from './workers.js'

/** What a worker is made of. */
export interface DeliveryWorkerOptions extends Omit<DispatcherOptions, 'worker'> {
  readonly databaseUrl: string
  /** A pool of one connection, for the worker's lock. */
  readonly lockDb: Database
}

/** Webhooks that a look at the queue finds at once; the next look finds more. */
const DUE_WEBHOOK_LIMIT = 1_000
const JOB_POLL_MS = 1_000
const RESTART_MS = 1_000
/** The task only wakes the dispatcher, so one job at a time is enough; one more connection listens. */
const JOB_CONNECTIONS = 2

/**
 * Sends what waits. Jobs tell what to look after, in the transaction that put it in line or at the time when it is due
 * again; a look at the queue every few seconds finds what a worker that died has left, and what a lost job would have
 * told.
 *
 * @returns stops it: what is under way is finished first.
 */
export async function startDeliveryWorker(options: DeliveryWorkerOptions): Promise<() => Promise<void>> {
  const { db, lockDb, log, databaseUrl } = options
  const worker = randomUUID()
  const abortController = new AbortController()
  await deliveryWorkers.heartbeat(db, lockDb, worker)
  const dispatcher = new Dispatcher({ ...options, worker })
  const laneListener = await db.listen(laneChannel, (webhookId) => dispatcher.wake([webhookId]))
  const loops = [
    runHeartbeatLoop({ db, lockDb, log, worker, dispatcher }, abortController.signal),
    runJobs({ databaseUrl, log, dispatcher }, abortController.signal),
  ]
  return async () => {
    abortController.abort()
    await laneListener.unlisten().catch(() => {})
    await dispatcher.stop()
    await Promise.all(loops)
    await deliveryWorkers
      .deregister(db, worker)
      .catch((error: unknown) =>
        log.warn({ err: error }, 'deliveries that had not begun wait until this worker counts as dead'),
      )
  }
}

interface WorkerContext {
  readonly db: Database
  readonly lockDb: Database
  readonly log: Log
  readonly worker: string
  readonly dispatcher: Dispatcher
}

async function runHeartbeatLoop(
  { db, lockDb, log, worker, dispatcher }: WorkerContext,
  signal: AbortSignal,
): Promise<void> {
  let isFailing = false
  while (!signal.aborted) {
    try {
      await deliveryWorkers.heartbeat(db, lockDb, worker)
      const expiredWorkers = await deliveryWorkers.reapExpired(db)
      if (expiredWorkers > 0)
        log.warn({ workers: expiredWorkers }, 'a worker of webhooks died; what it had is sent by others')
      dispatcher.wake(await findDueWebhooks(db, worker, DUE_WEBHOOK_LIMIT))
      isFailing = false
    } catch (error) {
      if (!isFailing) log.error({ err: error }, 'the queue of webhooks could not be looked at')
      isFailing = true
    }
    await pause(HEARTBEAT_MS, signal)
  }
}

/** Takes jobs, and begins anew when the queue has given up, as it does when the database is away for long. */
async function runJobs(
  { databaseUrl, log, dispatcher }: { databaseUrl: string; log: Log; dispatcher: Dispatcher },
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    let runner: Runner | undefined
    const stop = () => void runner?.stop().catch(() => {})
    try {
      runner = await run({
        connectionString: databaseUrl,
        maxPoolSize: JOB_CONNECTIONS,
        concurrency: 1,
        pollInterval: JOB_POLL_MS,
        noHandleSignals: true,
        logger: jobLogger(log),
        taskList: {
          [deliveryTask]: async (payload) => dispatcher.wake((payload as DeliveryJobPayload).webhookIds),
        },
      })
      signal.addEventListener('abort', stop)
      if (signal.aborted) stop()
      await runner.promise
    } catch (error) {
      log.error({ err: error }, 'the job queue has ended and is begun anew')
    } finally {
      signal.removeEventListener('abort', stop)
    }
    if (!signal.aborted) await pause(RESTART_MS, signal)
  }
}
