import { createServer as createHttpServer, type RequestListener } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import type { TestCertificate } from './certificate.js'

export interface LoopbackServer {
  readonly port: number
  /** `http://127.0.0.1:port` or `https://…`, without a slash at its end. */
  readonly origin: string
  /** How many connections were made to it. */
  connections(): number
}

/** An HTTP server on loopback until the test ends; over TLS with a certificate. */
export function serveHttp(listener: RequestListener, tls?: TestCertificate): Promise<LoopbackServer> {
  const server = tls === undefined ? createHttpServer(listener) : createHttpsServer({ ...tls }, listener)
  return listen(server, tls === undefined ? 'http' : 'https')
}

/** A server that says to every connection what HTTP does not foresee. */
export function serveTcp(onConnection: (socket: Socket) => void): Promise<LoopbackServer> {
  return listen(createTcpServer(onConnection), 'http')
}

async function listen(server: Server, scheme: string): Promise<LoopbackServer> {
  const open = new Set<Socket>()
  let connections = 0
  server.on('connection', (socket: Socket) => {
    connections += 1
    open.add(socket)
    socket.on('close', () => open.delete(socket))
    // Clients hang up on servers like these.
    socket.on('error', () => {})
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    for (const socket of open) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  })
  const { port } = server.address() as AddressInfo
  return { port, origin: `${scheme}://127.0.0.1:${port}`, connections: () => connections }
}
