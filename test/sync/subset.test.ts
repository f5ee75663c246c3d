import { status } from '@grpc/grpc-js'
import { expect, it } from 'vitest'
import { backfill } from '../../src/hub/sync/backfill/backfill.js'
import { queueUncompared } from '../../src/hub/sync/backfill/fid-list.js'
import { createUpstreamClient, type UpstreamClient } from '../../src/hub/sync/client/upstream-client.js'
import { UpstreamFailure } from '../../src/hub/sync/client/upstream-failure.js'
import { openUpstreams } from '../../src/hub/sync/client/upstreams.js'
import { initializeCursors } from '../../src/hub/sync/follow/cursors.js'
import { reconcileAccount } from '../../src/hub/sync/reconcile/reconcile.js'
import { addUnlistedFids } from '../../src/hub/sync/reconcile/reconcile-queries.js'
import { findNeighbors, listSelectedFids } from '../../src/hub/sync/subset/find-selected.js'
import { SelectedUsers } from '../../src/hub/sync/subset/selected-users.js'
import { createTestDatabase } from '../database.js'
import { createTestHub } from '../hub.js'
import { openHubGrpc } from '../hub-grpc.js'
import { TestUser, testNow } from '../network.js'
import { startTestSync } from './test-sync.js'

const CHANNEL = 'https://farcaster.xyz/~/channel/garden'
const a = await createTestDatabase()
const upstreamHub = await createTestHub(a.db)
const { server } = await openHubGrpc(a.db, { hub: upstreamHub })
const { db } = await createTestDatabase({ poolSize: 8 })
const hub = await createTestHub(db)
const [requests, followed, liker, gardener, stranger, later, newGardener] = Array.from(
  { length: 7 },
  (_, index) => new TestUser(index + 1),
) as [TestUser, TestUser, TestUser, TestUser, TestUser, TestUser, TestUser]

/** Reactions need a type, as in nodes of the public network. */
const connectAsToNode: typeof createUpstreamClient = (address, settings): UpstreamClient => {
  const client = createUpstreamClient(address, settings)
  return {
    ...client,
    call: async (name, request, signal) => {
      const { reactionType } = request as { reactionType?: number }
      if (name === 'getReactionsByCast' && reactionType === undefined) {
        throw new UpstreamFailure(status.INVALID_ARGUMENT, address, 'reaction_type is required')
      }
      return await client.call(name, request, signal)
    },
  }
}

/** Users with casts here, by fid. */
async function authors(): Promise<number[]> {
  const rows = await db<{ fid: number }[]>`select distinct fid from hub.messages where set = 1 order by fid`
  return rows.map(({ fid }) => fid)
}

it('a selection is fetched and synced, and follows its changes', async () => {
  const everyone = [requests, followed, liker, gardener, stranger, later, newGardener]
  await upstreamHub.submitOnChainEvents(everyone.flatMap((user) => user.onChain({ units: 5 })))
  const cast = requests.cast('hello', testNow - 900)
  await upstreamHub.submit([
    cast,
    ...[followed, liker, stranger, later, newGardener].map((user) => user.cast('me, too', testNow - 800)),
    gardener.cast('tulips', testNow - 700, { parentUrl: CHANNEL }),
    requests.link(followed.fid, testNow - 600),
    liker.react(cast, testNow - 500),
    stranger.link(later.fid, testNow - 400),
  ])
  const settings = { fids: [requests.fid], channelUrls: [CHANNEL], includeNeighbors: true }
  const upstreams = openUpstreams(
    { addresses: [server.address], tls: false, headers: new Map(), trusted: false },
    { connect: connectAsToNode },
  )
  const { signal } = new AbortController()
  await upstreams.request((client) => initializeCursors(db, client, { signal }))
  await listSelectedFids(db, upstreams, settings, signal)
  await backfill({ db, upstreams, hub, trusted: false, concurrency: 2, signal })
  expect(await authors()).toEqual([requests.fid, gardener.fid])
  await findNeighbors(db, upstreams, settings.fids, signal)
  await listSelectedFids(db, upstreams, settings, signal)
  await backfill({ db, upstreams, hub, trusted: false, concurrency: 2, signal })
  expect(await authors()).toEqual([requests.fid, followed.fid, liker.fid, gardener.fid])

  const selection = await SelectedUsers.open(db, settings)
  const { metrics, stop } = startTestSync(db, hub, {
    addresses: [server.address],
    selection,
    reconcileWith: upstreams,
  })
  await upstreamHub.submit([
    requests.link(later.fid, testNow - 300),
    newGardener.cast('roses', testNow - 300, { parentUrl: CHANNEL }),
    stranger.cast('nobody listens', testNow - 300),
  ])
  await expect.poll(authors).toEqual([1, 2, 3, 4, 6, 7])
  expect(metrics.items.ignored).toBeGreaterThan(0)

  await upstreamHub.submit([requests.link(followed.fid, testNow - 200, { remove: true })])
  const isFollowed = async () =>
    (await db`select 1 from sync.selected_users where fid = ${followed.fid}`).length
  await expect.poll(isFollowed).toBe(0)
  const unseen = followed.cast('unheard', testNow - 100)
  const seen = later.cast('heard', testNow - 90)
  await upstreamHub.submit([unseen])
  await upstreamHub.submit([seen])
  const stored = async (hash: Buffer) => (await db`select 1 from hub.messages where hash = ${hash}`).length
  await expect.poll(() => stored(seen.hash)).toBe(1)
  expect(await stored(unseen.hash)).toBe(0)

  // A follow that only a comparison finds.
  await stop()
  await upstreamHub.submit([requests.link(stranger.fid, testNow - 80)])
  const options = { db, upstreams, trusted: false, extra: 'keep', selection, signal } as const
  // The process ends before what is missing is merged.
  const ending = { ...hub, submitItems: () => Promise.reject(new Error('the process ends')) }
  await expect(reconcileAccount({ ...options, hub: ending }, requests.fid)).rejects.toThrow('ends')
  const reasons = await db`select reason, via from sync.selected_users where fid = ${stranger.fid}`
  expect(reasons).toEqual([{ reason: 'follow', via: requests.fid }])
  expect((await reconcileAccount({ ...options, hub }, requests.fid)).repaired).toBe(1)
  upstreams.close()
})

it('the whole network after a selection: what is known of a deselected user is no reason not to fetch the user', async () => {
  const upstreams = openUpstreams({
    addresses: [server.address],
    tls: false,
    headers: new Map(),
    trusted: false,
  })
  const { signal } = new AbortController()
  const castsOf = async (user: TestUser, of = db) =>
    (await of`select 1 from hub.messages where fid = ${user.fid} and set = 1`).length
  const deselected = followed
  expect(await castsOf(deselected)).toBe((await castsOf(deselected, a.db)) - 1)
  // A server that follows the registries of a chain knows all users.
  await hub.submitOnChainEvents(new TestUser(8).onChain())
  await upstreamHub.submitOnChainEvents(new TestUser(8).onChain())
  await upstreamHub.submit([new TestUser(8).cast('before', testNow - 50)])

  // A server without a selection has begun its first round of comparisons.
  await addUnlistedFids(db)
  await listSelectedFids(db, upstreams, null, signal)
  await queueUncompared(db, { fids: null, isSubset: false })
  await backfill({ db, upstreams, hub, trusted: false, concurrency: 2, signal })
  expect(await castsOf(deselected)).toBe(await castsOf(deselected, a.db))
  expect(await castsOf(new TestUser(8))).toBe(1)

  const fetchedBefore = [...(await db`select fid, backfilled_at from sync.fids order by fid`)]
  await addUnlistedFids(db)
  await listSelectedFids(db, upstreams, null, signal)
  await queueUncompared(db, { fids: null, isSubset: false })
  expect([...(await db`select fid, backfilled_at from sync.fids order by fid`)]).toEqual(fetchedBefore)
  upstreams.close()
})
