import { status } from '@grpc/grpc-js'
import { expect, onTestFinished, test } from 'vitest'
import { createUpstreamClient, type UpstreamClient } from '../../src/hub/sync/client/upstream-client.js'
import { UpstreamFailure } from '../../src/hub/sync/client/upstream-failure.js'
import { openUpstreams } from '../../src/hub/sync/client/upstreams.js'
import { saveCursor } from '../../src/hub/sync/follow/cursors.js'
import { reconcile } from '../../src/hub/sync/reconcile/reconcile.js'
import { addUnlistedFids } from '../../src/hub/sync/reconcile/reconcile-queries.js'
import { reconcileReportLines } from '../../src/hub/sync/reconcile/report-lines.js'
import { GetInfoResponse } from '../../src/protocol/proto/generated/request_response.js'
import { createTestDatabase } from '../database.js'
import { createTestHub } from '../hub.js'
import { openHubGrpc } from '../hub-grpc.js'
import { TestUser, testNow, testNowUnix } from '../network.js'

const users = [1, 2, 3].map((fid) => new TestUser(fid))
const casts = users.map((user) => user.cast('everywhere', testNow - 10))

/** Opens a hub with users and their casts. */
async function openHub(stored: readonly TestUser[]) {
  const { db } = await createTestDatabase({ poolSize: 8 })
  const hub = await createTestHub(db)
  await hub.submitOnChainEvents(stored.flatMap((user) => user.onChain()))
  await hub.submit(casts.filter(({ data }) => stored.some(({ fid }) => fid === data.fid)))
  return { db, hub }
}

const whole = await openHub(users)
const partial = await openHub(users.slice(0, 2))
const empty = await openHub([])
const servers = await Promise.all(
  [whole, partial, empty].map(async ({ db, hub }) => (await openHubGrpc(db, { hub })).server.address),
)
const [wholeAddress, partialAddress, emptyAddress] = servers as [string, string, string]

/** Removes what upstreams lack from a hub with all users. `fails` says which calls of the first upstream fail. */
async function removeExtra(
  addresses: readonly string[],
  { fails = () => false, ...client }: { fails?: () => boolean } & Partial<UpstreamClient> = {},
) {
  const { db, hub } = await openHub(users)
  await addUnlistedFids(db)
  await saveCursor(db, 'followed:1', 1, { nextId: 1, blockTime: testNow })
  const settings = { addresses, tls: false, headers: new Map(), trusted: true }
  const upstreams = openUpstreams(settings, {
    answerTimeoutMs: 0,
    connect: (address, connection) => {
      const real = createUpstreamClient(address, connection)
      const call: typeof real.call = async (name, ...rest) => {
        if (address === addresses[0] && name === 'getAllCastMessagesByFid' && fails())
          throw new UpstreamFailure(status.UNAVAILABLE, address, 'gone')
        return await real.call(name, ...rest)
      }
      return { ...real, call, ...client }
    },
  })
  onTestFinished(() => upstreams.close())
  const { signal } = new AbortController()
  const run = reconcile({
    ...{ db, hub, upstreams, trusted: true, extra: 'remove', fids: null, concurrency: 2, signal },
    clock: () => testNowUnix * 1000,
  })
  const stored = async () => (await db`select from hub.messages`).length
  return { run, stored }
}

test('an upstream that fails -> the run ends, and what the next upstream lacks stays', async () => {
  let calls = 0
  const { run, stored } = await removeExtra([wholeAddress, emptyAddress], {
    fails: () => {
      calls += 1
      return calls === 2
    },
  })
  await expect(run).rejects.toThrow('gone')
  expect(await stored()).toBe(casts.length)
})

test('an upstream without a block, while another was followed -> nothing is removed', async () => {
  const { run, stored } = await removeExtra([emptyAddress])
  await expect(run).rejects.toThrow('it is behind')
  expect(await stored()).toBe(casts.length)
})

test('a node of the network whose newest block is old -> nothing is removed', async () => {
  const real = createUpstreamClient(wholeAddress, { tls: false, headers: new Map() })
  onTestFinished(() => real.close())
  const call: typeof real.call = async (name, ...rest) =>
    name === 'getInfo'
      ? Buffer.from(GetInfoResponse.encode(GetInfoResponse.create({ peerId: 'node', numShards: 1 })).finish())
      : await real.call(name, ...rest)
  const events: typeof real.events = async () => []
  const { run, stored } = await removeExtra([wholeAddress], { call, events })
  await expect(run).rejects.toThrow('it is behind')
  expect(await stored()).toBe(casts.length)
})

test('a user whom the upstream does not list -> the messages stay, and the report names the user', async () => {
  const { run, stored } = await removeExtra([partialAddress])
  const report = await run
  expect(reconcileReportLines(report, 'remove')).toContain(
    'registered here, and not listed by the upstream: 1 users (3): their messages are kept',
  )
  expect([report.extra.size, await stored()]).toEqual([0, casts.length])
})
