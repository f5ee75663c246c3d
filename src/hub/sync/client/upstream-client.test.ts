import { status } from '@grpc/grpc-js'
import { expect, onTestFinished, test } from 'vitest'
import { createTestDatabase } from '../../../../test/database.js'
import { createTestHub } from '../../../../test/hub.js'
import { openHubGrpc } from '../../../../test/hub-grpc.js'
import { TestUser } from '../../../../test/network.js'
import { startGrpcProxy } from '../../../../test/sync/grpc-proxy.js'
import { createUpstreamClient } from './upstream-client.js'

test('malformed events are a failure of the upstream, in a page and in a stream', async () => {
  const { db } = await createTestDatabase()
  const hub = await createTestHub(db)
  await hub.submitOnChainEvents(new TestUser(1).onChain())
  const { server } = await openHubGrpc(db, { hub })
  const proxy = await startGrpcProxy(server.address)
  const client = createUpstreamClient(proxy.address, { tls: false, headers: new Map() })
  onTestFinished(() => client.close())
  const { signal } = new AbortController()
  const malformed = { name: 'UpstreamFailure', code: status.INTERNAL, address: proxy.address }
  // The type of an event, of a varint that does not end.
  const event = Buffer.of(0x08, 0xff)

  proxy.answer = () => Buffer.of(0x0a, event.length, ...event)
  await expect(client.events({ shard: 1, from: 0, limit: 1 }, signal)).rejects.toMatchObject(malformed)
  proxy.distort = () => () => [event]
  const stream = client.subscribe({ shard: 1, fromId: 0, idleMs: 60_000 }, signal)
  await expect(stream.next()).rejects.toMatchObject(malformed)
})
