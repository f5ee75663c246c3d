import { status } from '@grpc/grpc-js'
import { expect, onTestFinished, test } from 'vitest'
import { eventId } from '../../src/hub/log/hub-event.js'
import type { ReorderBufferOptions } from '../../src/hub/reorder-buffer.js'
import type { UpstreamClient, UpstreamEvent } from '../../src/hub/sync/client/upstream-client.js'
import { UpstreamFailure } from '../../src/hub/sync/client/upstream-failure.js'
import { openUpstreams } from '../../src/hub/sync/client/upstreams.js'
import { initializeCursors, saveCursor } from '../../src/hub/sync/follow/cursors.js'
import { requireNetwork } from '../../src/hub/sync/follow/require-network.js'
import { startSync } from '../../src/hub/sync/follow/sync-loop.js'
import { allUsers } from '../../src/hub/sync/subset/selected-users.js'
import type { Database } from '../../src/platform/db/connection.js'
import { FarcasterNetwork, HubEventType } from '../../src/protocol/definitions.js'
import { createTestDatabase } from '../database.js'
import { createTestHub } from '../hub.js'
import { TestUser, testNow } from '../network.js'
import { infoOf, logOf, startAtFirstEvent, upstreamOf } from './stub-upstream.js'
import { createRecordingLog, createRecordingMetrics } from './test-sync.js'

test('one shard of an upstream cannot start -> no shard has a cursor, as its time would count for all', async () => {
  const { db } = await createTestDatabase({ poolSize: 8 })
  const hub = await createTestHub(db)
  const log = logOf([{ messages: [new TestUser(1).cast('hello', testNow)] }])
  const stub = upstreamOf(log)
  const client: UpstreamClient = {
    ...stub,
    call: async () => infoOf(2),
    events: async (range, signal) => {
      if (range.shard === 2) throw new UpstreamFailure(status.UNAVAILABLE, stub.address, 'down')
      return await stub.events(range, signal)
    },
  }
  const settings = { addresses: [client.address], tls: false, headers: new Map(), trusted: true }
  const upstreams = openUpstreams(settings, { connect: () => client })
  const metrics = createRecordingMetrics()
  const stop = startSync({
    db,
    upstreams,
    hub,
    trusted: true,
    selection: allUsers,
    log: createRecordingLog(),
    metrics,
    clock: Date.now,
  })
  onTestFinished(stop)
  await expect.poll(() => metrics.disconnects.length).toBeGreaterThan(0)
  expect(await db`select shard from sync.cursors`).toEqual([])
})

test('a database that is away at the start: the log says once that the sync restarts', async () => {
  const { db } = await createTestDatabase({ poolSize: 8 })
  const hub = await createTestHub(db)
  const client = upstreamOf(logOf([{ messages: [new TestUser(1).cast('hello', testNow)] }]))
  const settings = { addresses: [client.address], tls: false, headers: new Map(), trusted: true }
  const upstreams = openUpstreams(settings, { connect: () => client })
  let attempts = 0
  const reserve = async () => {
    attempts += 1
    if (attempts <= 2) throw Object.assign(new Error('away'), { code: 'ECONNREFUSED' })
    return await db.reserve()
  }
  const failing = new Proxy(db, {
    get: (target, name) => (name === 'reserve' ? reserve : Reflect.get(target, name)),
  })
  const [log, metrics] = [createRecordingLog(), createRecordingMetrics()]
  const parts = { hub, upstreams, trusted: true, selection: allUsers, log, metrics, clock: Date.now }
  onTestFinished(startSync({ ...parts, db: failing }))
  await expect.poll(() => attempts).toBe(3)
  expect(log.lines.map(({ message }) => message).filter((text) => text === 'sync restarts')).toHaveLength(1)
})

/** Syncs with two upstreams until the first attempts have failed, and returns which of them were followed in turn. */
async function followTwo(
  events: readonly UpstreamEvent[],
  submitItems?: ReorderBufferOptions['hub']['submitItems'],
  prepare: (db: Database) => Promise<unknown> = async () => {},
): Promise<readonly string[]> {
  const { db } = await createTestDatabase({ poolSize: 8 })
  const hub = await createTestHub(db)
  const followed: string[] = []
  const connect = (address: string): UpstreamClient => {
    const stub = upstreamOf(events)
    return {
      ...stub,
      address,
      subscribe: (...given) => {
        followed.push(address)
        return stub.subscribe(...given)
      },
    }
  }
  const addresses = ['first.example:3383', 'second.example:3383']
  for (const address of addresses) await startAtFirstEvent(db, connect(address))
  await prepare(db)
  const upstreams = openUpstreams({ addresses, tls: false, headers: new Map(), trusted: true }, { connect })
  const metrics = createRecordingMetrics()
  const stop = startSync({
    db,
    upstreams,
    hub: { submitItems: submitItems ?? hub.submitItems },
    ...{ trusted: true, selection: allUsers, log: createRecordingLog(), metrics, clock: Date.now },
  })
  onTestFinished(stop)
  await expect.poll(() => followed.length).toBeGreaterThan(1)
  return followed.slice(0, 2)
}

test('a fault of the database here does not lead to another upstream', async () => {
  const log = logOf([{ messages: [new TestUser(1).cast('hello', testNow)] }])
  const followed = await followTwo(log, () => Promise.reject(new Error('no such relation')))
  expect(followed).toEqual(['first.example:3383', 'first.example:3383'])
})

test('malformed events lead to another upstream', async () => {
  const malformed = { id: eventId(1, 0), type: HubEventType.BLOCK_CONFIRMED, bytes: Buffer.of(0xff, 0xff) }
  expect(await followTwo([malformed])).toEqual(['first.example:3383', 'second.example:3383'])
})

test('an upstream that does not name a shard that was followed -> another one is followed', async () => {
  const log = logOf([{ messages: [new TestUser(1).cast('hello', testNow)] }])
  const addShard = (db: Database) =>
    saveCursor(db, 'first.example:3383', 2, { nextId: 1, blockTime: testNow })
  const followed = await followTwo(log, undefined, addShard)
  expect(followed[0]).toBe('second.example:3383')
})

test('the only upstream has fewer shards also at a second look -> an error is logged, and users are queued', async () => {
  const { db } = await createTestDatabase({ poolSize: 8 })
  const hub = await createTestHub(db)
  const client = upstreamOf(logOf([{ messages: [new TestUser(1).cast('hello', testNow)] }]))
  await startAtFirstEvent(db, client)
  await saveCursor(db, client.address, 2, { nextId: 1, blockTime: testNow })
  await hub.submitOnChainEvents(new TestUser(1).onChain())
  const settings = { addresses: [client.address], tls: false, headers: new Map(), trusted: true }
  const [upstreams, metrics] = [openUpstreams(settings, { connect: () => client }), createRecordingMetrics()]
  const log = createRecordingLog()
  const options = { db, hub, upstreams, trusted: true, selection: allUsers, log, metrics, clock: Date.now }
  onTestFinished(startSync(options))
  await expect.poll(() => metrics.disconnects.length).toBe(1)
  await expect
    .poll(() => log.lines.map(({ message }) => message))
    .toContain('the upstream no longer names shards: they are not followed')
  await expect
    .poll(() => db`select block_time from sync.cursors where shard = 2`)
    .toEqual([{ block_time: 0 }])
  const queued = await db`select reconcile_reason as reason from sync.fids where fid = 1`
  expect(queued).toEqual([{ reason: 'a gap in the log of the upstream' }])
})

test('a hub of mainnet and an upstream with messages of a devnet -> it is not followed, nor is a backfill begun', async () => {
  const { db } = await createTestDatabase({ poolSize: 8 })
  const hub = await createTestHub(db, { network: FarcasterNetwork.MAINNET })
  const client = upstreamOf(logOf([{ messages: [new TestUser(1).cast('hello', testNow)] }]))
  await startAtFirstEvent(db, client)
  const settings = { addresses: [client.address], tls: false, headers: new Map(), trusted: true }
  const [upstreams, metrics] = [openUpstreams(settings, { connect: () => client }), createRecordingMetrics()]
  const log = createRecordingLog()
  const options = { db, hub, upstreams, trusted: true, selection: allUsers, log, metrics, clock: Date.now }
  onTestFinished(startSync(options))
  await expect.poll(() => metrics.disconnects).toContain('FAILED_PRECONDITION')
  expect(metrics.items).toEqual({})
  const { signal } = new AbortController()
  await expect(initializeCursors(db, client, { signal })).rejects.toThrow(
    /of the network DEVNET, and HUB_NETWORK is mainnet/,
  )
  await expect(requireNetwork(db, upstreamOf([]), [1], signal)).resolves.toBeUndefined()
})
