import { type AddressInfo, createServer, type Socket } from 'node:net'
import type { ConnectionInjector } from '@grpc/grpc-js'

/** The connections of clients. */
export interface Connections {
  readonly address: AddressInfo
  /** Ends the connection of this peer, `<address>:<port>`, at once. */
  destroy(peer: string): void
  /** Accepts no more connections; resolves when the last one has ended. */
  close(): Promise<void>
  /** Ends all connections at once. */
  destroyAll(): void
}

/**
 * Listens, and hands connections to the gRPC server. The library's own listener does not give access to its
 * sockets, and ending the socket is the only way to disconnect a client that reads nothing.
 */
export async function listen(
  injector: Pick<ConnectionInjector, 'injectConnection'>,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<Connections> {
  const sockets = new Map<string, Socket>()
  const server = createServer({ noDelay: true }, (socket) => {
    const peer = `${socket.remoteAddress}:${socket.remotePort}`
    sockets.set(peer, socket)
    socket.on('close', () => sockets.delete(peer))
    // The calls of a broken connection end with it; there is nothing else to do.
    socket.on('error', () => {})
    injector.injectConnection(socket)
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host, port }, () => {
      server.off('error', reject)
      resolve()
    })
  })
  return {
    address: server.address() as AddressInfo,
    destroy: (peer) => sockets.get(peer)?.destroy(),
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
    destroyAll() {
      for (const socket of sockets.values()) socket.destroy()
    },
  }
}
