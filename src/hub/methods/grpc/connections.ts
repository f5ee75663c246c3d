import { type AddressInfo, createServer, type Socket } from 'node:net'
import type { ConnectionInjector } from '@grpc/grpc-js'

/** The connections of clients. */
export interface Connections {
  readonly address: AddressInfo
  /** Ends the connection of this peer, `<address>:<port>`, at once. */
  destroy(peer: string): void
  /** Takes no more of them; resolves when the last one has ended. */
  close(): Promise<void>
  /** Ends all of them at once. */
  destroyAll(): void
}

/**
 * Listens, and hands connections over. gRPC's own listener shows nobody its sockets, and a client that reads nothing
 * can only be let go by ending its socket.
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
    // A connection that breaks ends the calls on it, and that is all there is to say of it.
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
