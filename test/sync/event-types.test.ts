import { expect, onTestFinished, test } from 'vitest'
import { createUpstreamClient } from '../../src/hub/sync/client/upstream-client.js'
import { HubEventType } from '../../src/protocol/definitions.js'
import { channelRegistration } from '../channel-events.js'
import { createTestDatabase } from '../database.js'
import { createTestHub } from '../hub.js'
import { openHubGrpc } from '../hub-grpc.js'
import { TestUser, testNow } from '../network.js'

test('a subscription has every event of a block: one that it lacks counts as missed', async () => {
  const { db } = await createTestDatabase()
  const hub = await createTestHub(db)
  const { server } = await openHubGrpc(db, { hub })
  const user = new TestUser(1)
  await hub.submitOnChainEvents([channelRegistration('gardens', user.custody, { block: 70_000 })])
  await hub.submitOnChainEvents(user.onChain())
  await hub.submit([user.cast('the end', testNow)])
  const client = createUpstreamClient(server.address, { tls: false, headers: new Map() })
  onTestFinished(() => client.close())
  const logged = await client.events({ shard: 1, from: 0, limit: 1000 })
  expect(logged.map(({ type }) => type)).toContain(HubEventType.CHANNEL_OWNER_CHANGE_HINT)

  const streamed: number[] = []
  const stream = client.subscribe({ shard: 1, fromId: 0, idleMs: 60_000 }, new AbortController().signal)
  for await (const { events } of stream) {
    streamed.push(...events.map(({ id }) => id))
    if (streamed.includes(logged.at(-1)!.id)) break
  }
  expect(streamed).toEqual(logged.map(({ id }) => id))
})
