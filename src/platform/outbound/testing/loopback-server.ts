import { createServer as createHttpServer, type RequestListener } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import type { TestCertificate } from './certificate.js'

export interface LoopbackServer {
  readonly port: number
  /** `http://127.0.0.1:port` or `https://…`, without a trailing slash. */
  readonly origin: string
  /** Number of accepted connections. */
  connections(): number
}

/** Starts an HTTP server on loopback until the test ends; over TLS if it has a certificate. */
export function serveHttp(listener: RequestListener, tls?: TestCertificate): Promise<LoopbackServer> {
  const server = tls === undefined ? createHttpServer(listener) : createHttpsServer({ ...tls }, listener)
  return listen(server, tls === undefined ? 'http' : 'https')
}

/** Starts a server that sends invalid HTTP to every connection. */
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
    // Clients hang up on such servers.
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
