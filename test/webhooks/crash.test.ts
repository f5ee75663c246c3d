import { setTimeout as sleep } from 'node:timers/promises'
import { FarcasterNetwork } from '@farcaster/core'
import { expect, it } from 'vitest'
import { connect } from '../../src/db/connection.js'
import { findEmbedded } from '../../src/db/embedded.js'
import { createHub } from '../../src/hub/create-hub.js'
import { encodeMessage } from '../../src/protocol/codec.js'
import { createVerifyPool } from '../../src/protocol/verify-pool.js'
import { projectEvents } from '../../src/social/project.js'
import { TestUser } from '../network.js'
import { createDataDir, type ServerProcess, startServerProcess } from '../server-process.js'
import { startReceiver } from './receiver.js'

const ROUNDS = 4
/** So many casts may be on their way: each more is only work. */
const BACKLOG = 300
const KEY = 'a-key-for-the-test'
const users = [1, 2, 3, 4].map((fid) => new TestUser(fid))

async function registerUsers(dataDir: string): Promise<void> {
  const db = connect((await findEmbedded(dataDir)) ?? '', { poolSize: 2, applicationName: 'crash test' })
  const verifyPool = createVerifyPool({ threads: 0 })
  const hub = await createHub({
    db,
    verifyPool,
    network: FarcasterNetwork.DEVNET,
    shards: 1,
    clock: Date.now,
    hooks: [projectEvents],
  })
  await hub.submitOnChainEvents(users.flatMap((user) => user.onChain({ units: 1_000 })))
  await hub.close()
  await verifyPool.close()
  await db.end()
}

it('nothing that was merged is lost however often the server is killed, and what comes twice has the same ids', {
  timeout: 400_000,
}, async () => {
  const dataDir = await createDataDir()
  const env = {
    LOG_LEVEL: 'silent',
    PLAZA_DEV_API_KEY: KEY,
    ALLOW_PRIVATE_TARGETS: 'loopback',
    CRAWL_EMBEDS: 'false',
    SCORE_INTERVAL_HOURS: '0',
  }
  // Some answers come late and some not at all, so that there is always something under way.
  let answers = 0
  const receiver = await startReceiver((response) => {
    answers += 1
    if (answers % 50 === 0) response.destroy()
    else setTimeout(() => response.end(), answers % 20)
  })
  let server: ServerProcess = await startServerProcess({ dataDir, env })
  await registerUsers(dataDir)
  const created = await fetch(`${server.url}/v2/farcaster/webhook`, {
    method: 'POST',
    headers: { 'x-api-key': KEY, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'crash', url: receiver.url, subscription: { 'cast.created': {} } }),
  })
  expect(created.status).toBe(200)

  const acknowledged: string[] = []
  let finished = false
  async function send(sender: number): Promise<void> {
    for (let n = 0; !finished; n += 1) {
      const cast = users[n % users.length]!.cast(
        `${sender} ${n}`,
        Math.floor(Date.now() / 1000) - 1_609_459_200,
      )
      const response = await fetch(`${server.url}/v1/submitMessage`, {
        method: 'POST',
        headers: { 'content-type': 'application/octet-stream' },
        body: encodeMessage(cast),
      }).catch(() => null)
      if (response?.ok) acknowledged.push(`0x${cast.hash.toString('hex')}`)
      else await sleep(20)
      while (!finished && acknowledged.length > receiver.received.length + BACKLOG) await sleep(20)
    }
  }
  const senders = [0, 1, 2, 3].map(send)
  for (let round = 0; round < ROUNDS; round += 1) {
    const before = receiver.received.length
    while (receiver.received.length < before + 40) await sleep(10)
    await sleep((round * 37) % 100)
    server.child.kill('SIGKILL')
    await server.ended
    server = await startServerProcess({ dataDir, env })
  }
  finished = true
  await Promise.all(senders)

  const missing = () => {
    const arrived = new Set(receiver.received.map(({ body }) => body.data.hash))
    return acknowledged.filter((hash) => !arrived.has(hash))
  }
  await expect.poll(missing, { timeout: 240_000, interval: 250 }).toEqual([])
  const idsOf = new Map<string, Set<string>>()
  for (const { body, headers } of receiver.received) {
    const ids = idsOf.get(body.event_id) ?? new Set()
    idsOf.set(body.event_id, ids.add(`${body.delivery_id} ${headers['webhook-id']} ${body.data.hash}`))
  }
  expect([...idsOf.values()].filter((ids) => ids.size > 1)).toEqual([])
})
