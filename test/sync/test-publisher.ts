import { onTestFinished } from 'vitest'
import { openUpstreams } from '../../src/hub/sync/client/upstreams.js'
import { publishLoop } from '../../src/hub/sync/publish/publish-loop.js'
import type { PublishOutcome } from '../../src/hub/sync/publish/publish-metrics.js'
import type { Database } from '../../src/platform/db/connection.js'
import type { Message } from '../../src/protocol/definitions.js'
import { createRecordingLog } from './test-sync.js'

/** Decides whether and when a call is sent. */
export type CallFilter = (send: () => Promise<Buffer>, request: Message) => Promise<Buffer>

/** Sends what waits in a database to an upstream, until the test ends or it is stopped. */
export function startTestPublisher(db: Database, address: string, onCall: CallFilter = (send) => send()) {
  const upstreams = openUpstreams({ addresses: [address], tls: false, headers: new Map(), trusted: false })
  const counts: Record<PublishOutcome, number> = { sent: 0, duplicate: 0, conflict: 0, refused: 0 }
  const log = createRecordingLog()
  const stopping = new AbortController()
  const listeners: { unlisten(): Promise<void> }[] = []
  let isDead = false
  const never = new Promise<never>(() => {})
  const running = publishLoop({
    db,
    upstreams: {
      failOver: upstreams.failOver,
      current() {
        const client = upstreams.current()
        const call: typeof client.call = async (name, request, signal) => {
          const answer = await (isDead
            ? never
            : onCall(() => client.call(name, request, signal), request as Message))
          return isDead ? await never : answer
        }
        return { ...client, call }
      },
    },
    listen: async (channel, onNotify) => {
      const listener = await db.listen(channel, onNotify)
      listeners.push(listener)
      return { unlisten: async () => {} }
    },
    log,
    count: (outcome, messages) => {
      counts[outcome] += messages
    },
    clock: () => performance.now(),
    signal: stopping.signal,
  })
  let ended: Promise<void> | undefined
  /** What remains of a killed one does nothing any more, but must not leak. */
  async function end(): Promise<void> {
    stopping.abort()
    if (!isDead) await running
    await Promise.all(listeners.map((listener) => listener.unlisten().catch(() => {})))
    upstreams.close()
  }
  const stop = () => {
    ended ??= end()
    return ended
  }
  onTestFinished(stop)
  return {
    counts,
    log,
    stop,
    /** Ends it as `kill -9` does: no answer reaches it any more, and it writes nothing about those under way. */
    kill: async () => {
      isDead = true
      await stop()
    },
  }
}
