import type { Socket } from 'node:net'

/** Polls within the timeout. */
const POLLS_PER_TIMEOUT = 4

/**
 * Ends connections from which nothing has come for so long, not even the answer to a ping: their client has vanished or stands
 * still. The gRPC library sends the pings, and then waits for the calls of the connection to end, which a
 * subscription never does.
 *
 * @returns The function that stops it.
 */
export function endSilentConnections(sockets: () => Iterable<Socket>, silenceMs: number): () => void {
  const heard = new WeakMap<Socket, { readonly bytes: number; readonly atMs: number }>()

  function look(): void {
    const nowMs = performance.now()
    for (const socket of sockets()) {
      const before = heard.get(socket)
      if (before === undefined || socket.bytesRead > before.bytes) {
        heard.set(socket, { bytes: socket.bytesRead, atMs: nowMs })
      } else if (nowMs - before.atMs >= silenceMs) socket.destroy()
    }
  }

  const timer = setInterval(look, silenceMs / POLLS_PER_TIMEOUT)
  timer.unref()
  return () => clearInterval(timer)
}
