import type { Database } from '../../../../platform/db/connection.js'
import { BEAT_MS } from '../../../../platform/db/worker-register.js'
import { pause } from '../../../../platform/process/pause.js'
import { clearCanceled } from '../cancel.js'
import { createSender, type RunningSender, type SenderOptions } from './sender.js'
import { senders } from './senders.js'

/** What a sender that others know of is made of. */
export interface SenderProcessOptions extends SenderOptions {
  /** A pool of one connection, for the sender's lock. */
  readonly own: Database
}

/**
 * Starts a sender that others know of. Requests wake it; a look at the queue every few seconds finds what a process
 * that died has left, and helps with what another one is sending.
 */
export async function startSender(options: SenderProcessOptions): Promise<RunningSender> {
  const { db, own, log, sender: id } = options
  const stopping = new AbortController()
  await senders.beat(db, own, id)
  const sender = createSender(options)
  const sweeping = sweep(options, sender, stopping.signal)
  return {
    ...sender,
    async stop() {
      stopping.abort()
      await sender.stop()
      await sweeping
      await senders
        .retire(db, id)
        .catch((error: unknown) =>
          log.warn({ err: error }, 'notifications that had not begun wait until this sender counts as dead'),
        )
    },
  }
}

async function sweep(
  { db, own, log, sender: id }: SenderProcessOptions,
  sender: RunningSender,
  signal: AbortSignal,
): Promise<void> {
  let isFailing = false
  while (!signal.aborted) {
    try {
      await senders.beat(db, own, id)
      const dead = await senders.buryDead(db)
      if (dead > 0)
        log.warn({ senders: dead }, 'a sender of notifications died; what it had is sent by others')
      await clearCanceled(db)
      sender.gather()
      sender.dispatch()
      isFailing = false
    } catch (error) {
      if (!isFailing) log.error({ err: error }, 'the queue of notifications could not be looked at')
      isFailing = true
    }
    await pause(BEAT_MS, signal)
  }
}
