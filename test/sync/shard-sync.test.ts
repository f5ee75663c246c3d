import { beforeEach, expect, test } from 'vitest'
import { blockOf } from '../../src/hub/log/hub-event.js'
import type { UpstreamClient, UpstreamEvent } from '../../src/hub/sync/client/upstream-client.js'
import { GetInfoResponse } from '../../src/protocol/proto/generated/request_response.js'
import { createTestDatabase } from '../database.js'
import { createTestHub } from '../hub.js'
import { TestUser, testNow } from '../network.js'
import { followShard, logOf, startAtFirstEvent, upstreamOf } from './stub-upstream.js'
import { createRecordingMetrics } from './test-sync.js'

const { db } = await createTestDatabase({ poolSize: 8 })
const hub = await createTestHub(db)
const user = new TestUser(1)
await hub.submitOnChainEvents(user.onChain({ units: 100 }))

beforeEach(async () => {
  await db`truncate sync.cursors, sync.fids, hub.applied_offsets`
})

async function savedId(): Promise<number> {
  const [row] = await db<{ id: number }[]>`select next_id as id from sync.cursors`
  return row!.id
}

async function storedHashes(): Promise<string[]> {
  const rows = await db<{ hash: string }[]>`select encode(hash, 'hex') as hash from hub.messages`
  return rows.map(({ hash }) => hash)
}

test('a stream that ends among the blocks that are read again leaves the cursor where it was', async () => {
  const casts = Array.from({ length: 20 }, (_, n) => user.cast(`${n}`, testNow - 100 + n))
  const log = logOf(casts.map((cast) => ({ messages: [cast] })))
  await startAtFirstEvent(db, upstreamOf(log))
  await followShard({ db, hub }, upstreamOf(log))
  const reached = await savedId()
  expect(blockOf(reached)).toBe(21)
  const rewound = log.filter(({ id }) => blockOf(id) === 14)
  await followShard({ db, hub }, upstreamOf(log, [rewound]))
  expect(await savedId()).toBe(reached)
})

/** A log of blocks with a cast each. */
function castLog(name: string, blocks: number): UpstreamEvent[] {
  const casts = Array.from({ length: blocks }, (_, n) => user.cast(`${name} ${n}`, testNow - 1000 + n))
  return logOf(casts.map((cast) => ({ messages: [cast] })))
}

test('an upstream whose pages do not advance -> the sync fails instead of asking for ever', async () => {
  const log = castLog('stuck', 4)
  const client = upstreamOf(log, [log.slice(-1)])
  await startAtFirstEvent(db, client)
  const stuck: UpstreamClient = {
    ...client,
    events: async (range, signal) =>
      range.reverse
        ? await client.events(range, signal)
        : await client.events({ ...range, from: 0, limit: 1 }),
  }
  await expect(followShard({ db, hub }, stuck)).rejects.toThrow('events before those asked for')
})

test('the request of a long backlog breaks -> what was read before is merged, and the cursor is after it', async () => {
  const log = castLog('backlog', 600)
  const client = upstreamOf(log, [[]])
  await startAtFirstEvent(db, client)
  let pages = 0
  const breaking: typeof client = {
    ...client,
    events(range) {
      if (range.stop !== undefined && pages++ > 0) throw new Error('no second page')
      return client.events(range)
    },
  }
  await expect(followShard({ db, hub }, breaking)).rejects.toThrow('no second page')
  expect(blockOf(await savedId())).toBe(501)
})

test('a stream falls silent far behind the end of the log -> each event is merged once', async () => {
  const log = castLog('silent', 100)
  const client = upstreamOf(log)
  await startAtFirstEvent(db, client)
  const starts: number[] = []
  const silent: typeof client = {
    ...client,
    async *subscribe({ fromId }) {
      starts.push(fromId)
      if (starts.length === 1) yield { events: [], hasMore: false }
      yield { events: log.filter(({ id }) => id >= fromId), hasMore: false }
    },
  }
  const metrics = createRecordingMetrics()
  await followShard({ db, hub }, silent, { metrics })
  expect(metrics.items).toMatchObject({ merged: 100, duplicate: 0 })
  expect(starts.map(blockOf)).toEqual([1, 101])
})

test('a stream stays silent while the log grows little by little -> each event is merged once', async () => {
  const log = castLog('stalled', 100)
  const client = upstreamOf(log)
  await startAtFirstEvent(db, client)
  const starts: number[] = []
  let shown = 0
  const stalled: typeof client = {
    ...client,
    events: (range) => upstreamOf(log.filter(({ id }) => blockOf(id) <= shown)).events(range),
    async *subscribe({ fromId }) {
      starts.push(fromId)
      for (; shown < 100 && starts.length === 1; shown += 20) yield { events: [], hasMore: false }
      shown = 100
      yield { events: log.filter(({ id }) => id >= fromId), hasMore: false }
    },
  }
  const metrics = createRecordingMetrics()
  await followShard({ db, hub }, stalled, { metrics })
  expect(metrics.items).toMatchObject({ merged: 100, duplicate: 0 })
  expect(starts.slice(1).map(blockOf)).toEqual([81])
})

test('a quiet log that ends far before what was read -> the sync ends at the second look, as the log may be a new one', async () => {
  const log = castLog('replaced', 40)
  const client = upstreamOf(log)
  await startAtFirstEvent(db, client)
  await followShard({ db, hub }, client)
  const short = upstreamOf(log.filter(({ id }) => blockOf(id) <= 3))
  /** Falls silent, and has the short log at so many looks. */
  const quiet = (looks: number): UpstreamClient => {
    let left = 0
    return {
      ...client,
      events(range) {
        left -= 1
        return (left >= 0 ? short : client).events(range)
      },
      async *subscribe() {
        left = looks
        for (let count = 0; count < 2; count += 1) yield { events: [], hasMore: false }
      },
    }
  }
  // One behind a balancer may be behind for a moment.
  await followShard({ db, hub }, quiet(1))
  await expect(followShard({ db, hub }, quiet(2))).rejects.toThrow('its log has begun anew')
})

test('a node that is behind the one that named the last event -> the cursor stays at what was read', async () => {
  const log = castLog('balanced', 40)
  const shown = log.filter(({ id }) => blockOf(id) <= 10)
  const client = upstreamOf(shown, [shown, []])
  await startAtFirstEvent(db, client)
  const balanced: typeof client = {
    ...client,
    events: (range) => (range.reverse ? upstreamOf(log) : client).events(range),
  }
  await followShard({ db, hub }, balanced)
  expect(blockOf(await savedId())).toBe(11)
})

const networkNode = Buffer.from(
  GetInfoResponse.encode(GetInfoResponse.fromPartial({ peerId: 'peer' })).finish(),
)

/** Follows an upstream that is silent for 59 seconds after its last block, and then for two more. */
async function followStalled(info: Buffer, hasOtherUpstreams: boolean): Promise<void> {
  const log = castLog('quiet', 1)
  let nowMs = 0
  const client: UpstreamClient = {
    ...upstreamOf(log),
    call: async () => info,
    async *subscribe() {
      nowMs += 90_000
      yield { events: log, hasMore: false }
      nowMs += 59_000
      yield { events: [], hasMore: false }
      nowMs += 2_000
      yield { events: [], hasMore: false }
    },
  }
  await startAtFirstEvent(db, client)
  await followShard({ db, hub }, client, { clock: () => nowMs, hasOtherUpstreams })
}

test('a node of the network makes no block for a minute -> it is left for the next upstream', async () => {
  await expect(followStalled(networkNode, true)).rejects.toThrow('no new block for 61 seconds')
})

test.each([
  { info: networkNode, hasOtherUpstreams: false, upstream: 'the only upstream' },
  { info: Buffer.alloc(0), hasOtherUpstreams: true, upstream: 'another Plaza, which makes no empty blocks' },
])('no block for a minute: $upstream is followed further', async ({ info, hasOtherUpstreams }) => {
  await followStalled(info, hasOtherUpstreams)
  expect(blockOf(await savedId())).toBe(2)
})

test('many blocks count keys that no log has -> an event that the stream leaves out later is fetched', async () => {
  const casts = Array.from({ length: 30 }, (_, n) => user.cast(`key ${n}`, testNow - 100 + n))
  const log = logOf(casts.map((cast, n) => ({ messages: [cast], unlogged: n % 2 })))
  const left = log.filter(({ id }) => id !== log.at(-3)!.id)
  const batches = left.map((event) => [event])
  const client = upstreamOf(log, batches)
  await startAtFirstEvent(db, client)
  const metrics = createRecordingMetrics()
  await followShard({ db, hub }, client, { metrics })
  expect(metrics.found).toBe(1)
  expect(await storedHashes()).toEqual(expect.arrayContaining(casts.map(({ hash }) => hash.toString('hex'))))
})
