import { connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { onTestFinished } from 'vitest'

/** A TCP proxy that disturbs connections like a network. */
export interface TcpProxy {
  /** `host:port` */
  readonly address: string
  /** Target address; may change at any time. */
  target: string
  /** Delay of every piece of an answer, in milliseconds. */
  delayMs: number
  /** Ends all connections at once. */
  cut(): void
  /** Passes this many more bytes of answers, then ends the connection. */
  truncateAfter(bytes: number): void
  /** Passes nothing in either direction, on open and new connections, until it is released. */
  stall(): () => void
}

/** Starts a proxy that ends with the test. */
export async function startTcpProxy(target: string): Promise<TcpProxy> {
  const sockets = new Set<Socket>()
  let bytesLeft = Number.POSITIVE_INFINITY
  const gate = createGate()

  function endAll(): void {
    for (const socket of sockets) socket.destroy()
    sockets.clear()
  }

  async function passBack(from: Socket, to: Socket): Promise<void> {
    for await (const chunk of from as AsyncIterable<Buffer>) {
      if (proxy.delayMs > 0) await sleep(proxy.delayMs)
      await gate.opened()
      const passed = chunk.subarray(0, Math.min(chunk.length, bytesLeft))
      bytesLeft -= passed.length
      if (!to.write(passed) && !to.destroyed)
        await new Promise((resolve) => to.once('drain', resolve).once('close', resolve))
      if (bytesLeft > 0) continue
      bytesLeft = Number.POSITIVE_INFINITY
      to.end(() => endAll())
      return
    }
  }

  const server = createServer((socket) => {
    const [host = '', port = ''] = proxy.target.split(/:(?=\d+$)/)
    const upstream = connect(Number(port), host)
    for (const each of [socket, upstream]) {
      sockets.add(each)
      each.on('error', () => {})
      each.on('close', () => {
        sockets.delete(each)
        socket.destroy()
        upstream.destroy()
      })
    }
    passOn(socket, upstream, gate).catch(() => {})
    passBack(upstream, socket).catch(() => {})
  })
  const proxy: TcpProxy = {
    address: '',
    target,
    delayMs: 0,
    cut: endAll,
    truncateAfter: (bytes) => {
      bytesLeft = bytes
    },
    stall: gate.close,
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const listening = server.address()
  onTestFinished(async () => {
    endAll()
    await new Promise((resolve) => server.close(resolve))
  })
  if (listening === null || typeof listening === 'string') throw new Error('the proxy has no port')
  return Object.assign(proxy, { address: `127.0.0.1:${listening.port}` })
}

async function passOn(from: Socket, to: Socket, gate: ReturnType<typeof createGate>): Promise<void> {
  for await (const chunk of from as AsyncIterable<Buffer>) {
    await gate.opened()
    if (!to.write(chunk) && !to.destroyed)
      await new Promise((resolve) => to.once('drain', resolve).once('close', resolve))
  }
  to.end()
}

/** Lets everything pass, except while it is closed. */
function createGate() {
  let closed: Promise<void> | undefined
  return {
    opened: async (): Promise<void> => await closed,
    /** @returns what opens it again. */
    close: (): (() => void) => {
      let release = () => {}
      closed = new Promise((resolve) => {
        release = () => {
          closed = undefined
          resolve()
        }
      })
      return release
    },
  }
}
