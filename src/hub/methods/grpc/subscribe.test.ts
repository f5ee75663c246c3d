import { type AddressInfo, connect as connectSocket, createServer, type Socket } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import {
  getInsecureHubRpcClient,
  type HubEvent,
  HubEventType,
  type HubRpcClient,
  type SubscribeRequest,
} from '@farcaster/hub-nodejs'
import { type ClientReadableStream, type ServiceError, status } from '@grpc/grpc-js'
import { afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { createTestDatabase } from '../../../../test/database.js'
import { openHubGrpc } from '../../../../test/hub-grpc.js'
import { TestUser, testNow, testNowUnix } from '../../../../test/network.js'
import { silentLog } from '../../../platform/log/log.js'
import { encodeHubEvent, eventId } from '../../log/hub-event.js'
import { dropExpiredPartitions, ensurePartitions } from '../../log/partitions.js'
import { eventChannel } from '../../log/write.js'

const { db } = await createTestDatabase()
const nowMs = testNowUnix * 1000
const dayMs = 24 * 60 * 60 * 1000
const single = await openHubGrpc(db)
const double = await openHubGrpc(db, { hub: single.hub, config: { shards: 2 } })
await db`insert into hub.shards (shard) values (2) on conflict do nothing`

setFlagsFromString('--expose_gc')
const collectGarbage: () => void = runInNewContext('gc')

/** A subscription: its events, and how it ended. */
class Reader {
  readonly ids: number[] = []
  first: HubEvent | null = null
  error: ServiceError | null = null

  constructor(readonly stream: ClientReadableStream<HubEvent>) {
    stream.on('data', (event: HubEvent) => {
      this.first ??= event
      this.ids.push(event.id)
    })
    stream.on('error', (error) => {
      this.error = error as ServiceError
    })
  }
}

const readers: Reader[] = []

async function subscribe(client: HubRpcClient, request: Partial<SubscribeRequest> = {}): Promise<Reader> {
  const stream = (await client.subscribe({ eventTypes: [], ...request }))._unsafeUnwrap()
  const isOpen = new Promise((resolve) => stream.once('metadata', resolve).once('error', resolve))
  const reader = new Reader(stream)
  readers.push(reader)
  await isOpen
  return reader
}

async function emptyLog(): Promise<void> {
  await ensurePartitions(db, nowMs)
  await db`truncate hub.events`
  await db`update hub.shards set first_retained_id = 0`
}

afterEach(() => {
  for (const { stream } of readers.splice(0)) stream.cancel()
})

interface Row {
  readonly shard?: number
  readonly id: number
  readonly type?: HubEventType.MERGE_MESSAGE | HubEventType.PRUNE_MESSAGE
  /** Days after today. */
  readonly day?: number
}

const message = new TestUser(7).cast('hello', testNow)

/** Appends events as one transaction, and notifies. */
async function append(...rows: readonly Row[]): Promise<void> {
  const events = rows.map(({ shard = 1, id, type = HubEventType.MERGE_MESSAGE }) =>
    encodeHubEvent({ shard, id, timestamp: testNow, body: { type, message, deletedMessages: [] } }),
  )
  await db.begin(async (transaction) => {
    await transaction`
      insert into hub.events (day, shard, id, type, fid, event)
      select '2026-11-01'::date + day, shard, id, type, 7, event
      from unnest(
        ${rows.map(({ day }) => day ?? 0)}::integer[],
        ${rows.map(({ shard }) => shard ?? 1)}::smallint[],
        ${rows.map(({ id }) => id)}::bigint[],
        ${rows.map(({ type }) => type ?? HubEventType.MERGE_MESSAGE)}::smallint[],
        ${db.types.byteas(events)}::bytea[]
      ) as logged (day, shard, id, type, event)
    `
    for (const [shard, last] of new Map(rows.map(({ shard = 1, id }) => [shard, id]))) {
      await transaction`select pg_notify(${eventChannel}, ${`${shard}:${last}`})`
    }
  })
}

describe('a subscriber', () => {
  beforeEach(emptyLog)

  test('from an id -> gets the events in the log, then the new ones', async () => {
    await append(...[1, 2, 3, 4].map((id) => ({ id })))
    const reader = await subscribe(single.client, { fromId: 2 })
    await expect.poll(() => reader.ids).toEqual([2, 3, 4])
    await append({ id: 5 }, { id: 6 })
    await append({ id: 7 })
    await expect.poll(() => reader.ids).toEqual([2, 3, 4, 5, 6, 7])
    expect(reader.first).toMatchObject({
      shardIndex: 1,
      timestamp: testNow,
      mergeMessageBody: { message: { data: { castAddBody: { text: 'hello' } } } },
    })
    expect(Buffer.from(reader.first!.mergeMessageBody!.message!.dataBytes!)).toEqual(message.dataBytes)
  })

  test('without an id -> gets only new events', async () => {
    await append({ id: 1 })
    const reader = await subscribe(single.client)
    await append({ id: 2 })
    await expect.poll(() => reader.ids).toEqual([2])
  })

  test('with event types -> gets only these', async () => {
    await append({ id: 1 }, { id: 2, type: HubEventType.PRUNE_MESSAGE }, { id: 3 })
    const reader = await subscribe(single.client, { fromId: 0, eventTypes: [HubEventType.PRUNE_MESSAGE] })
    await append({ id: 4 }, { id: 5, type: HubEventType.PRUNE_MESSAGE })
    await expect.poll(() => reader.ids).toEqual([2, 5])
    const refused = await subscribe(single.client, { eventTypes: [99 as HubEventType] })
    await expect.poll(() => refused.error?.code).toBe(status.INVALID_ARGUMENT)
  })

  test('follows one shard or all shards', async () => {
    await append({ shard: 1, id: 1 }, { shard: 2, id: 2 }, { shard: 1, id: 3 }, { shard: 2, id: 4 })
    const both = await subscribe(double.client, { fromId: 0 })
    const second = await subscribe(double.client, { fromId: 0, shardIndex: 2 })
    await append({ shard: 2, id: 5 })
    await expect.poll(() => both.ids).toEqual([1, 2, 3, 4, 5])
    await expect.poll(() => second.ids).toEqual([2, 4, 5])
    const none = await subscribe(double.client, { shardIndex: 3 })
    await expect.poll(() => none.error?.details).toContain('Shard not found')
  })

  test('from a dropped event -> OUT_OF_RANGE with the oldest id', async () => {
    await ensurePartitions(db, nowMs - 4 * dayMs)
    await append({ id: 10, day: -4 })
    await append({ id: 20 })
    await dropExpiredPartitions(db, nowMs, 3)
    const reader = await subscribe(single.client, { fromId: 5 })
    await expect.poll(() => reader.error).toMatchObject({ code: status.OUT_OF_RANGE })
    expect(reader.error!.details).toContain('the oldest kept is 20')
    const oldest = await subscribe(single.client, { fromId: 0 })
    await expect.poll(() => oldest.ids).toEqual([20])
  })

  test('from an id that one of several shards has dropped -> gets what that shard keeps', async () => {
    await ensurePartitions(db, nowMs - 4 * dayMs)
    await append({ shard: 2, id: 50, day: -4 })
    await append({ id: 5 }, { shard: 2, id: 60 }, { id: 8 })
    await dropExpiredPartitions(db, nowMs, 3)
    const reader = await subscribe(double.client, { fromId: 5 })
    await expect.poll(() => reader.ids).toEqual([5, 8, 60])
    const exact = await subscribe(double.client, { fromId: 5, shardIndex: 2 })
    await expect.poll(() => exact.error).toMatchObject({ code: status.OUT_OF_RANGE })
  })

  test('from an id that one of several shards has not reached -> gets what that shard logs next', async () => {
    const [early, late] = [eventId(2, 1), eventId(9, 1)]
    await append({ shard: 1, id: late }, { shard: 2, id: early })
    await db`update hub.shards set height = case shard when 1 then 9 else 2 end`
    onTestFinished(async () => void (await db`update hub.shards set height = 0`))
    const reader = await subscribe(double.client, { fromId: late + 1 })
    await append({ shard: 2, id: early + 1 }, { shard: 1, id: late + 1 })
    await expect.poll(() => reader.ids).toEqual([early + 1, late + 1])
    const lost = await subscribe(double.client, { fromId: eventId(20, 1) })
    await expect.poll(() => lost.error?.code).toBe(status.ABORTED)
  })

  test('beyond the limit -> UNAVAILABLE, until another leaves', async () => {
    const counts: number[] = []
    const { client } = await openHubGrpc(db, {
      hub: single.hub,
      config: { maxSubscribers: 1 },
      metrics: { called: () => {}, subscribed: (count) => counts.push(count), eventsSent: () => {} },
    })
    const first = await subscribe(client)
    const second = await subscribe(client)
    await expect.poll(() => second.error).toMatchObject({ code: status.UNAVAILABLE })
    first.stream.cancel()
    await expect.poll(() => counts.at(-1)).toBe(0)
    const third = await subscribe(client)
    expect(third.error).toBeNull()
  })

  test('when the server stops -> UNAVAILABLE', async () => {
    const stopping = await openHubGrpc(db, { hub: single.hub })
    const reader = await subscribe(stopping.client)
    await stopping.server.close(30_000)
    await expect.poll(() => reader.error).toMatchObject({ code: status.UNAVAILABLE })
    expect(reader.error!.details).toContain('shutting down')
  })
})

test('a client that stands still while the log is quiet -> its connection ends', async () => {
  const counts: number[] = []
  const { server } = await openHubGrpc(db, {
    hub: single.hub,
    config: { stallTimeoutMs: 1_000 },
    metrics: { called: () => {}, subscribed: (count) => counts.push(count), eventsSent: () => {} },
  })
  // Its machine takes what comes in the place of the client, and nothing answers.
  const between = await openProxy(server.address)
  const client = getInsecureHubRpcClient(between.address, { 'grpc.use_local_subchannel_pool': 1 })
  const reader = await subscribe(client)
  expect(counts).toEqual([1])
  between.freeze()
  await expect.poll(() => counts.at(-1)).toBe(0)
  expect(reader.ids).toEqual([])
  client.$.close()
  between.close()
})

describe('a subscriber that stops reading', () => {
  const eventCount = 51_000

  beforeAll(async () => {
    await emptyLog()
    for (let first = 1; first <= eventCount; first += 17_000) {
      await append(...Array.from({ length: 17_000 }, (_, index) => ({ id: first + index })))
    }
  })

  /** Takes the first event: the published client buffers a stream that was never read. */
  async function stalled(client: HubRpcClient): Promise<Reader> {
    const stream = (await client.subscribe({ eventTypes: [], fromId: 1 }))._unsafeUnwrap()
    const reader = new Reader(stream)
    readers.push(reader)
    await new Promise<void>((resolve) => {
      stream.once('data', () => {
        stream.pause()
        resolve()
      })
    })
    return reader
  }

  test('uses little memory, and gets every event once and in order when it continues', async () => {
    let sent = 0
    const { connect } = await openHubGrpc(db, {
      hub: single.hub,
      metrics: {
        called: () => {},
        subscribed: () => {},
        eventsSent: (count) => {
          sent += count
        },
      },
    })
    const before = await bytesHeld()
    const reader = await stalled(connect())
    await settled(() => sent)
    const after = await bytesHeld()
    // The log is 20 MB. The server holds a page of it, and the socket buffers are small.
    expect(sent).toBeLessThan(eventCount / 10)
    expect(after - before).toBeLessThan(12_000_000)
    reader.stream.resume()
    await expect.poll(() => reader.ids.length).toBe(eventCount)
    expect(reader.ids.every((id, index) => id === index + 1)).toBe(true)
  })

  test('after the timeout -> UNAVAILABLE with the next id', async () => {
    let isLetGo = false
    const log = {
      ...silentLog,
      info: () => {
        isLetGo = true
      },
    }
    const { connect } = await openHubGrpc(db, { hub: single.hub, log, config: { stallTimeoutMs: 3_000 } })
    const reader = await stalled(connect())
    await expect.poll(() => isLetGo).toBe(true)
    reader.stream.resume()
    await expect.poll(() => reader.error).toMatchObject({ code: status.UNAVAILABLE })
    const [, from] = /subscribe again from id (\d+) of shard 1/.exec(reader.error!.details) ?? []
    expect(reader.ids.at(-1)).toBe(Number(from) - 1)
    expect(reader.ids.every((id, index) => id === index + 1)).toBe(true)
  })

  test('does not delay the stop of the server', async () => {
    const { connect, server } = await openHubGrpc(db, { hub: single.hub })
    const reader = await stalled(connect())
    await server.close(100)
    reader.stream.resume()
    await expect.poll(() => reader.error?.code).toBeDefined()
  })

  test('and does not take the status -> its connection ends', async () => {
    const counts: number[] = []
    const { connect } = await openHubGrpc(db, {
      hub: single.hub,
      config: { stallTimeoutMs: 100 },
      metrics: { called: () => {}, subscribed: (count) => counts.push(count), eventsSent: () => {} },
    })
    const reader = await stalled(connect())
    await expect.poll(() => counts).toEqual([1, 0])
    reader.stream.resume()
    await expect.poll(() => reader.error?.code).toBeDefined()
  })
})

/** Memory in use. The second collection frees buffers whose owners the first has freed. */
async function bytesHeld(): Promise<number> {
  for (let turn = 0; turn < 3; turn += 1) {
    collectGarbage()
    await setImmediate()
  }
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

/** Waits until a number has stopped growing. */
async function settled(read: () => number): Promise<void> {
  let last = -1
  await expect
    .poll(
      () => {
        const isSame = read() === last
        last = read()
        return isSame
      },
      { interval: 200 },
    )
    .toBe(true)
}

/** A way to the server that can be frozen: bytes are still taken, and none goes on. */
async function openProxy(target: string) {
  const [host = '', port = ''] = target.split(':')
  const sockets: Socket[] = []
  let isFrozen = false
  const proxy = createServer((client) => {
    const server = connectSocket({ host, port: Number(port) })
    sockets.push(client, server)
    client.on('data', (bytes) => isFrozen || server.write(bytes))
    server.on('data', (bytes) => isFrozen || client.write(bytes))
    for (const socket of [client, server]) socket.on('error', () => {})
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  return {
    address: `127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    freeze() {
      isFrozen = true
    },
    close() {
      for (const socket of sockets) socket.destroy()
      proxy.close()
    },
  }
}
