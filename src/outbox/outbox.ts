import { randomUUID } from 'node:crypto'
import type { Database } from '../platform/db/connection.js'
import { reportFirstFailure } from '../platform/log/first-failure.js'
import { pause } from '../platform/process/pause.js'
import { Dispatcher, type DispatcherOptions } from './dispatcher.js'
import { changeChannelOf, type Listen, lanesOf } from './outbox-queue.js'
import type { WorkerRegistry } from './worker-registry.js'

/** Dependencies of a worker of a queue. */
export interface OutboxOptions<Claimed, Prepared extends Claimed, Result>
  extends Omit<DispatcherOptions<Claimed, Prepared, Result>, 'worker'> {
  readonly db: Database
  /** A pool of one connection that does nothing else: it holds the worker's lock. */
  readonly lockDb: Database
  readonly listen: Listen
  /** The workers of this queue in all processes. */
  readonly workers: WorkerRegistry
  /** The UUID of this worker, if something names it before it starts. */
  readonly worker?: string
  /** Called before each sweep, for work that is not in the queue yet. */
  readonly onSweep?: () => void
}

/** A worker that is running. */
export interface Outbox {
  /** Finds and sends everything that is due. */
  sweep(): void
  /** Claims no more, and waits until what is being sent is settled. Other workers send the rest. */
  stop(): Promise<void>
}

const SWEEP_MS = 1_000
/** A worker renews its lease at every third sweep, well within the time that it lasts (`worker-registry.ts`). */
const SWEEPS_PER_HEARTBEAT = 3

/**
 * Starts a worker of a queue. Notifications wake it at once, timers when something is due again; a sweep each second
 * finds what both have missed, and what a worker that died has left.
 */
export async function startOutbox<Claimed, Prepared extends Claimed, Result>(
  options: OutboxOptions<Claimed, Prepared, Result>,
): Promise<Outbox> {
  const { db, lockDb, listen, workers, queue, log, onSweep, worker = randomUUID() } = options
  const stopping = new AbortController()
  await workers.heartbeat(db, lockDb, worker)
  const dispatcher = new Dispatcher({ ...options, worker })
  const listeners = await Promise.all([
    listen(queue.channel, (payload) => {
      const lanes = lanesOf(payload)
      if (lanes === null) sweep()
      else dispatcher.wake(lanes)
    }),
    listen(changeChannelOf(queue.channel), (payload) => dispatcher.requeue(lanesOf(payload))),
  ])
  const sweeping = sweepUntilStopped()
  return {
    sweep,
    async stop() {
      // The lease is renewed until nothing is being sent: another worker would send it, too.
      await Promise.all([dispatcher.stop(), ...listeners.map((each) => each.unlisten().catch(() => {}))])
      stopping.abort()
      await sweeping
      await workers
        .deregister(db, worker)
        .catch((error: unknown) =>
          log.warn({ err: error }, `items of ${queue.name} in hand wait until the lease of this worker ends`),
        )
    },
  }

  function sweep(): void {
    onSweep?.()
    dispatcher.sweep()
  }

  async function sweepUntilStopped(): Promise<void> {
    const tryToRenewLease = reportFirstFailure(renewLease, (error) =>
      log.error({ err: error }, `the worker of ${queue.name} could not renew its lease`),
    )
    for (let sweeps = 0; !stopping.signal.aborted; sweeps += 1) {
      if (sweeps % SWEEPS_PER_HEARTBEAT === 0) await tryToRenewLease()
      sweep()
      await pause(SWEEP_MS, stopping.signal)
    }
  }

  async function renewLease(): Promise<void> {
    await workers.heartbeat(db, lockDb, worker)
    const expired = await workers.reapExpired(db)
    if (expired > 0)
      log.warn({ workers: expired }, `a worker of ${queue.name} died; others send what it had in hand`)
  }
}
