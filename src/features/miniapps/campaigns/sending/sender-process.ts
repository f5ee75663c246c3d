import type { Database } from '../../../../platform/db/connection.js'
import { HEARTBEAT_MS } from '../../../../platform/db/worker-registry.js'
import { pause } from '../../../../platform/process/pause.js'
import { removeCanceledBatches } from '../cancel.js'
import { createSender, type RunningSender, type SenderOptions } from './sender.js'
import { senderRegister } from './senders.js'

/** What a sender that others know of is made of. */
export interface SenderProcessOptions extends SenderOptions {
  /** A pool of one connection, for the sender's lock. */
  readonly lockDb: Database
}

/**
 * Starts a sender that others know of. Requests wake it; a look at the queue every few seconds finds what a process
 * that died has left, and helps with what another one is sending.
 */
export async function startSender(options: SenderProcessOptions): Promise<RunningSender> {
  const { db, lockDb, log, sender: id } = options
  const abortController = new AbortController()
  await senderRegister.heartbeat(db, lockDb, id)
  const sender = createSender(options)
  const sweepLoop = runSweepLoop(options, sender, abortController.signal)
  return {
    ...sender,
    async stop() {
      abortController.abort()
      await sender.stop()
      await sweepLoop
      await senderRegister
        .deregister(db, id)
        .catch((error: unknown) =>
          log.warn({ err: error }, 'notifications that had not begun wait until this sender counts as dead'),
        )
    },
  }
}

async function runSweepLoop(
  { db, lockDb, log, sender: id }: SenderProcessOptions,
  sender: RunningSender,
  signal: AbortSignal,
): Promise<void> {
  let isFailing = false
  while (!signal.aborted) {
    try {
      await senderRegister.heartbeat(db, lockDb, id)
      const expiredSenders = await senderRegister.reapExpired(db)
      if (expiredSenders > 0)
        log.warn({ senders: expiredSenders }, 'a sender of notifications died; what it had is sent by others')
      await removeCanceledBatches(db)
      sender.selectAudiences()
      sender.dispatch()
      isFailing = false
    } catch (error) {
      if (!isFailing) log.error({ err: error }, 'the queue of notifications could not be looked at')
      isFailing = true
    }
    await pause(HEARTBEAT_MS, signal)
  }
}
