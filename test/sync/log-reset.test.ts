import { expect, test } from 'vitest'
import { decodeHubEvent, eventId } from '../../src/hub/log/hub-event.js'
import { createTestDatabase } from '../database.js'
import { createTestHub } from '../hub.js'
import { openHubGrpc } from '../hub-grpc.js'
import { TestUser, testNow } from '../network.js'
import { startTestSync } from './test-sync.js'

const a = await createTestDatabase()
const upstreamHub = await createTestHub(a.db)
const { server } = await openHubGrpc(a.db, { hub: upstreamHub })
const { db } = await createTestDatabase({ poolSize: 8 })
const hub = await createTestHub(db)
const user = new TestUser(1)
const PATIENCE = { timeout: 60_000 }

/** Puts the log of the upstream back by some blocks. */
async function goBack(blocks: number): Promise<void> {
  const [row] = await a.db<{ height: number }[]>`select height from hub.shards`
  const height = row!.height - blocks
  const [last] = await a.db<
    { event: Buffer }[]
  >`select event from hub.events where id = ${eventId(height, 0)}`
  const { blockHash } = decodeHubEvent(last!.event).blockConfirmedBody!
  await a.db.begin(async (transaction) => {
    await transaction`delete from hub.events where id >= ${eventId(height + 1, 0)}`
    await transaction`update hub.shards set height = ${height}, block_hash = ${Buffer.from(blockHash)}`
  })
}

async function storedCasts(): Promise<string[]> {
  const rows = await db<{ hash: string }[]>`select encode(hash, 'hex') as hash from hub.messages`
  return rows.map(({ hash }) => hash)
}

test('the log of the upstream goes back -> later events with the same ids are merged', async () => {
  await upstreamHub.submitOnChainEvents(user.onChain())
  await db`
    insert into sync.cursors (upstream, shard, next_id, block_time) values (${server.address}, 1, 0, 0)
  `
  const sync = startTestSync(db, hub, { addresses: [server.address] })
  const casts = Array.from({ length: 6 }, (_, n) => user.cast(`cast ${n}`, testNow - 60 + n))
  const hashes = casts.map(({ hash }) => hash.toString('hex'))
  for (const cast of casts.slice(0, 3)) expect(await upstreamHub.submit([cast])).toEqual([null])
  await expect.poll(storedCasts, PATIENCE).toEqual(expect.arrayContaining(hashes.slice(0, 3)))
  await goBack(2)
  for (const cast of casts.slice(3)) expect(await upstreamHub.submit([cast])).toEqual([null])
  await expect.poll(storedCasts, PATIENCE).toEqual(expect.arrayContaining(hashes))
  expect(sync.log.lines.map(({ message }) => message)).toContain('the log of the upstream went back')
}, 120_000)
