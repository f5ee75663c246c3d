import { status } from '@grpc/grpc-js'
import { beforeEach, expect, test } from 'vitest'
import type { Hub } from '../../src/hub/hub.js'
import { decodeHubEvent, eventId } from '../../src/hub/log/hub-event.js'
import type { UpstreamClient } from '../../src/hub/sync/client/upstream-client.js'
import { UpstreamFailure } from '../../src/hub/sync/client/upstream-failure.js'
import { SelectedUsers } from '../../src/hub/sync/subset/selected-users.js'
import { TestChannel } from '../channels.js'
import { createTestDatabase } from '../database.js'
import { createTestHub } from '../hub.js'
import { openHubGrpc } from '../hub-grpc.js'
import { TestUser, testNow } from '../network.js'
import { followShard, logOf, startAtFirstEvent, upstreamOf } from './stub-upstream.js'
import { startTestSync } from './test-sync.js'

const a = await createTestDatabase()
const upstreamHub = await createTestHub(a.db)
const { server } = await openHubGrpc(a.db, { hub: upstreamHub })
const { db } = await createTestDatabase({ poolSize: 8 })
const hub = await createTestHub(db)
const user = new TestUser(1)
const REASON = 'the log of the upstream went back'

beforeEach(async () => {
  await db`truncate sync.cursors, sync.fids, sync.selected_users, hub.applied_offsets`
})

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

/** Lets the first statement that queues users for a comparison fail. */
async function failFirstQueueing(): Promise<void> {
  await db.unsafe(`
    create sequence queueings;
    create function fail_first_queueing() returns trigger language plpgsql as $$
      begin
        if nextval('queueings') = 1 then raise 'not now'; end if;
        return null;
      end
    $$;
    create trigger fail_first_queueing before insert on sync.fids execute function fail_first_queueing()
  `)
}

async function queuedUsers(): Promise<unknown[]> {
  return [...(await db`select fid, reconcile_reason as reason from sync.fids order by fid`)]
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
  await expect.poll(storedCasts).toEqual(expect.arrayContaining(hashes.slice(0, 3)))
  await goBack(2)
  for (const cast of casts.slice(3)) expect(await upstreamHub.submit([cast])).toEqual([null])
  await expect.poll(storedCasts).toEqual(expect.arrayContaining(hashes))
  expect(sync.log.lines.map(({ message }) => message)).toContain(REASON)
  await sync.stop()
})

test('the database fails when the log of the upstream goes back -> all users are compared nevertheless', async () => {
  await upstreamHub.submitOnChainEvents(user.onChain())
  for (const text of ['before', 'lost']) {
    expect(await upstreamHub.submit([user.cast(text, testNow - 30)])).toEqual([null])
  }
  await db`
    insert into sync.cursors (upstream, shard, next_id, block_time) values (${server.address}, 1, 0, 0)
  `
  const sync = startTestSync(db, hub, { addresses: [server.address] })
  const { hash } = user.cast('lost', testNow - 30)
  await expect.poll(storedCasts).toContain(hash.toString('hex'))
  await failFirstQueueing()
  await goBack(1)
  // A log that is as long as before has gone back unseen, unless somebody looks between.
  for (const text of ['after', 'later']) {
    expect(await upstreamHub.submit([user.cast(text, testNow - 20)])).toEqual([null])
  }
  await expect.poll(queuedUsers).toEqual([{ fid: 1, reason: REASON }])
  expect(sync.log.lines.map(({ message }) => message)).toContain('cannot continue at the fork yet')
  await sync.stop()
  await db`drop trigger fail_first_queueing on sync.fids`
})

/** An upstream whose log goes back while the last events of a batch are read, or after it. */
function upstreamThatGoesBack(nextId: number, when: 'while' | 'after'): UpstreamClient {
  const log = logOf([1, 2, 3].map((n) => ({ messages: [user.cast(`event ${n}`, testNow - 10 + n)] })))
  const stub = upstreamOf(log)
  return {
    ...stub,
    async *subscribe({ onLogReset }) {
      if (when === 'while') onLogReset?.(nextId)
      yield { events: log, hasMore: when === 'after' }
      onLogReset?.(nextId)
      throw new UpstreamFailure(status.ABORTED, stub.address, REASON)
    },
  }
}

test('the log of the upstream goes back -> that is saved while events of the old log are still merged', async () => {
  await hub.submitOnChainEvents(user.onChain())
  const client = upstreamThatGoesBack(eventId(2, 0), 'after')
  await startAtFirstEvent(db, client)
  await db`update sync.cursors set next_id = ${eventId(3, 0)}::bigint`
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  const slow: Hub = {
    ...hub,
    async submitItems(...submission) {
      await released
      return await hub.submitItems(...submission)
    },
  }
  const following = expect(followShard({ db, hub: slow }, client)).rejects.toThrow(REASON)
  // The cursor moves after the users are queued.
  await expect
    .poll(async () => await db`select next_id from sync.cursors`)
    .toEqual([{ next_id: eventId(2, 0) }])
  expect(await queuedUsers()).toEqual([{ fid: 1, reason: REASON }])
  release()
  await following
  expect(await db`select next_id from sync.cursors`).toEqual([{ next_id: eventId(2, 0) }])
  expect(await db`select from hub.applied_offsets`).toHaveLength(0)
})

test.each([
  { when: 'while', merged: 3, next: 2 },
  { when: 'after', merged: 3, next: 2 },
  { when: 'after', merged: 1, next: 1 },
] as const)(
  'the log of the upstream goes back to block 2 $when its events cannot be merged, and $merged was next -> $next is next',
  async ({ when, merged, next }) => {
    await hub.submitOnChainEvents(user.onChain())
    const client = upstreamThatGoesBack(eventId(2, 0), when)
    await db`
      insert into sync.cursors (upstream, shard, next_id, block_time)
      values (${client.address}, 1, ${eventId(merged, 0)}::bigint, 0)
    `
    const failing: Hub = { ...hub, submitItems: () => Promise.reject(new Error('no merge now')) }
    await expect(followShard({ db, hub: failing }, client)).rejects.toThrow('no merge now')
    expect(await db`select next_id from sync.cursors`).toEqual([{ next_id: eventId(next, 0) }])
    expect(await queuedUsers()).toEqual([{ fid: 1, reason: REASON }])
  },
)

/** An upstream whose log begins with its third block. */
function upstreamWithGap(): UpstreamClient {
  const log = logOf([1, 2, 3].map((n) => ({ messages: [user.cast(`event ${n}`, testNow - 10 + n)] })))
  return upstreamOf(log.filter(({ id }) => id >= eventId(3, 0)))
}

test.each([
  { reason: REASON, upstream: upstreamThatGoesBack(eventId(2, 0), 'while') },
  { reason: 'a gap in the log of the upstream', upstream: upstreamWithGap() },
])(
  'a partial sync: $reason -> the selected users and channels are compared, and nobody else',
  async (given) => {
    const { reason, upstream } = given
    const deselected = new TestUser(2)
    await hub.submitOnChainEvents([user, deselected].flatMap((each) => each.onChain()))
    await new TestChannel('plaza').register(db)
    // An operator may write 0, for the entry of channels.
    const settings = { fids: [0, user.fid], channelUrls: [], includeNeighbors: false }
    const selection = await SelectedUsers.open(db, settings)
    await db`update sync.fids set reconcile_reason = null`
    await startAtFirstEvent(db, upstream)
    // The stream of the first breaks.
    await Promise.allSettled([followShard({ db, hub }, upstream, { selection })])
    expect(await queuedUsers()).toEqual([0, user.fid].map((fid) => ({ fid, reason })))
  },
)
