import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { expect, it } from 'vitest'
import { readSendQueues } from './send-queues.js'

it.runIf(process.platform === 'linux').each(['127.0.0.1', '::'])(
  'listening on %s: what the other side does not read is in the queue of the connection',
  async (host) => {
    const server = createServer()
    server.listen(0, host)
    await once(server, 'listening')
    const accepted = once(server, 'connection') as Promise<[Socket]>
    const client = connect({ host: '127.0.0.1', port: (server.address() as AddressInfo).port })
    client.pause()
    const [socket] = await accepted
    expect((await readSendQueues())(socket)).toBe(0)
    // More than a receive buffer takes that nobody reads from.
    while (socket.write(Buffer.alloc(64 * 1024)));
    await expect.poll(async () => (await readSendQueues())(socket)).toBeGreaterThan(0)
    client.resume()
    await expect.poll(async () => (await readSendQueues())(socket)).toBe(0)
    client.destroy()
    socket.destroy()
    server.close()
  },
)
