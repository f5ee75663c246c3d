import { expect, onTestFinished, test } from 'vitest'
import { primary, verification } from '../../src/hub/merge/testing/in-memory-merges.js'
import { openUpstreams, type Upstreams } from '../../src/hub/sync/client/upstreams.js'
import { reconcileAccount } from '../../src/hub/sync/reconcile/reconcile.js'
import { PlazaError } from '../../src/platform/errors.js'
import { createTestDatabase } from '../database.js'
import { createTestHub } from '../hub.js'
import { openHubGrpc } from '../hub-grpc.js'
import { TestUser, testNow } from '../network.js'

const a = await createTestDatabase()
const upstreamHub = await createTestHub(a.db)
const { server } = await openHubGrpc(a.db, { hub: upstreamHub })
const { db } = await createTestDatabase({ poolSize: 8 })
const hub = await createTestHub(db)

/** Requests of one reading of a user: each kind of on-chain events, the names and each set. */
const READING = 12

/** Opens upstreams. The last answer of the first reading arrives after `meanwhile`. */
function openUpstream(meanwhile: () => Promise<unknown> = async () => {}) {
  const settings = { addresses: [server.address], tls: false, headers: new Map(), trusted: true }
  const upstreams = openUpstreams(settings)
  onTestFinished(() => upstreams.close())
  let answers = 0
  const request: Upstreams['request'] = async (call, signal) => {
    const answer = await upstreams.request(call, signal)
    answers += 1
    if (answers === READING) await meanwhile()
    return answer
  }
  return { upstreams: { ...upstreams, request }, answers: () => answers }
}

async function reconcileUser(upstreams: Upstreams, fid: number) {
  const { signal } = new AbortController()
  return await reconcileAccount({ db, upstreams, hub, trusted: true, extra: 'keep', signal }, fid)
}

test('a message that ends on both sides during the comparison does not come back', async () => {
  const user = new TestUser(1)
  const messages = [verification(user, primary.ethereum, testNow - 20), primary.showEthereum(testNow - 10)]
  for (const each of [upstreamHub, hub]) {
    await each.submitOnChainEvents(user.onChain())
    expect(await each.submit(messages, { trusted: true })).toEqual([null, null])
  }
  // A newer verification of the address revokes that it is the primary one, and nothing tells so afterwards.
  const newer = verification(user, primary.ethereum, testNow)
  const { upstreams } = openUpstream(async () => {
    for (const each of [upstreamHub, hub])
      expect(await each.submit([newer], { trusted: true })).toEqual([null])
  })
  const report = await reconcileUser(upstreams, user.fid)
  const stored = await db<{ hash: Buffer }[]>`select hash from hub.messages where fid = ${user.fid}`
  expect(stored.map(({ hash }) => hash)).toEqual([newer.hash])
  expect([report.missing.size, report.repaired]).toEqual([0, 0])
})

test('what is missing at a second look is merged; a user without anything here is read once', async () => {
  const user = new TestUser(2)
  await upstreamHub.submitOnChainEvents(user.onChain())
  await upstreamHub.submit([user.cast('first', testNow - 10)])
  const first = openUpstream()
  expect((await reconcileUser(first.upstreams, user.fid)).repaired).toBe(4)
  expect(first.answers()).toBe(READING)

  await upstreamHub.submit([user.cast('second', testNow - 5)])
  const second = openUpstream()
  expect((await reconcileUser(second.upstreams, user.fid)).repaired).toBe(1)
  expect(second.answers()).toBe(2 * READING)
})

test('extra messages are removed in parts, and a part for which the queue has no room is repeated', async () => {
  const user = new TestUser(3)
  for (const each of [upstreamHub, hub]) await each.submitOnChainEvents(user.onChain({ units: 15 }))
  await hub.submit(
    Array.from({ length: 1_500 }, (_, n) => user.cast(`${n}`, testNow - 2_000 + n)),
    { trusted: true },
  )
  const parts: number[] = []
  const removeByUpstream: typeof hub.removeByUpstream = async (messages) => {
    parts.push(messages.length)
    // Others have filled the queue before the second part.
    if (parts.length === 2) throw new PlazaError('unavailable', 'too many messages are waiting to be merged')
    return await hub.removeByUpstream(messages)
  }
  const { upstreams } = openUpstream()
  const { signal } = new AbortController()
  const busyHub = { ...hub, removeByUpstream }
  const options = { db, upstreams, hub: busyHub, trusted: true, extra: 'remove', signal } as const
  expect((await reconcileAccount(options, user.fid)).extra.get('casts')).toBe(1_500)
  expect(parts).toEqual([1_000, 500, 500])
  expect(await db`select from hub.messages where fid = ${user.fid}`).toHaveLength(0)
})
