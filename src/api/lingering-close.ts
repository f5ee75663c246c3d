import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

/** A client that does not close its side has so long to read what was sent. */
const LINGER_MS = 2_000

const closing = new WeakSet<Socket>()
/** Sockets whose last request was answered before its body had come. */
const answeredEarly = new WeakSet<Socket>()

/**
 * Closes connections with a lingering close, so that clients can read the last answer. To close a socket while a client sends is to reset it, and a
 * reset may reach the client before the answer does, or instead of it. So what comes is read and dropped for a moment.
 *
 * @param maxDroppedBytes Bytes of a body that are read after its request was answered, to keep the connection.
 */
export function closeWithLinger(app: FastifyInstance, maxDroppedBytes: number): void {
  app.server.on('connection', (socket: Socket) => {
    // What Node.js calls after the last answer of a connection: it would close as soon as the answer is written.
    socket.destroySoon = () => endWithLinger(socket)
  })
  app.addHook('onRequest', (request, reply, done) => {
    // It came behind a request whose answer ended the connection: there is no way to answer it, so it must not run.
    if (closing.has(request.raw.socket)) reply.hijack()
    else done()
  })
  app.addHook('onSend', (request, reply, _payload, done) => {
    if (!request.raw.complete && Number(request.headers['content-length']) > maxDroppedBytes) {
      reply.header('connection', 'close')
    }
    done()
  })
  app.addHook('onResponse', ({ raw }, _reply, done) => {
    done()
    if (raw.complete || raw.destroyed) return
    const { socket } = raw
    answeredEarly.add(socket)
    raw.once('end', () => answeredEarly.delete(socket))
    raw.unpipe()
    raw.resume()
  })
}

/** Whether what fails on this connection belongs to a request that was answered: nobody waits for another answer. */
export function isAnswered(socket: Socket): boolean {
  return closing.has(socket) || answeredEarly.has(socket)
}

/** Sends a last text, and closes a connection when the client has, or after a moment. */
export function endWithLinger(socket: Socket, text?: string): void {
  if (closing.has(socket) || socket.destroyed) return
  closing.add(socket)
  const timer = setTimeout(() => socket.destroy(), LINGER_MS).unref()
  socket.once('close', () => clearTimeout(timer))
  if (text === undefined) socket.end()
  else socket.end(text)
}
