import type { Session } from '../../../db/connection.js'
import { pause } from '../../../lib/pause.js'
import { clearCanceled } from '../cancel.js'
import { createSender, type RunningSender, type SenderOptions } from './sender.js'
import { BEAT_MS, beat, buryDead, lockSender, retire } from './senders.js'

/**
 * Starts a sender that others know of. Requests wake it; a look at the queue every few seconds finds what a process
 * that died has left, and helps with what another one is sending.
 */
export async function startSender(options: SenderOptions): Promise<RunningSender> {
  const { db, log, sender: id } = options
  const stopping = new AbortController()
  const session = await lockSender(db, id)
  await beat(db, session, id)
  const sender = createSender(options)
  const sweeping = sweep(options, { sender, session }, stopping.signal)
  return {
    ...sender,
    async stop() {
      stopping.abort()
      await sender.stop()
      await sweeping
      await retire(db, id).catch((error: unknown) =>
        log.warn({ err: error }, 'notifications that had not begun wait until this sender counts as dead'),
      )
    },
  }
}

async function sweep(
  { db, log, sender: id }: SenderOptions,
  held: { readonly sender: RunningSender; readonly session: Session },
  signal: AbortSignal,
): Promise<void> {
  let session: Session | null = held.session
  let isFailing = false
  while (!signal.aborted) {
    try {
      session ??= await lockSender(db, id)
      await beat(db, session, id)
      const dead = await buryDead(db)
      if (dead > 0)
        log.warn({ senders: dead }, 'a sender of notifications died; what it had is sent by others')
      await clearCanceled(db)
      held.sender.gather()
      held.sender.dispatch()
      isFailing = false
    } catch (error) {
      if (!isFailing) log.error({ err: error }, 'the queue of notifications could not be looked at')
      isFailing = true
      // The connection, and the lock with it, may be gone.
      session?.release()
      session = null
    }
    await pause(BEAT_MS, signal)
  }
  session?.release()
}
