import type { Log } from '../log/log.js'
import { pause } from '../process/pause.js'

/** Something that is done now and again for as long as the server runs. */
export interface Chore {
  readonly name: string
  readonly everyMs: number
  readonly run: () => Promise<unknown>
}

/**
 * Runs every chore at once and then on its schedule, never twice at a time. A failure is logged and the next
 * turn tries again. The returned function ends it and waits for what is under way.
 */
export function startMaintenance(chores: readonly Chore[], log: Log): () => Promise<void> {
  const stopping = new AbortController()
  const running = chores.map((chore) => repeat(chore, stopping.signal, log))
  return async () => {
    stopping.abort()
    await Promise.all(running)
  }
}

async function repeat(chore: Chore, stopping: AbortSignal, log: Log): Promise<void> {
  while (!stopping.aborted) {
    try {
      await chore.run()
    } catch (error) {
      log.error({ err: error, chore: chore.name }, 'maintenance failed')
    }
    await pause(chore.everyMs, stopping)
  }
}
