import { type HubEvent, HubEventType } from '@farcaster/hub-nodejs'
import { Metadata, type ServiceError, status } from '@grpc/grpc-js'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { mergeHooks } from '../src/app/modules.js'
import { startCacheFollower } from '../src/graph/cache/cache-follower.js'
import { Hydrator } from '../src/graph/cache/hydrator.js'
import { createHub } from '../src/hub/create-hub.js'
import { startConsumer } from '../src/hub/log/consumer.js'
import { blockOf, eventId } from '../src/hub/log/hub-event.js'
import { createEventTail } from '../src/hub/log/tail.js'
import { silentLog } from '../src/platform/log/log.js'
import { FarcasterNetwork } from '../src/protocol/definitions.js'
import type { SignedMessage } from '../src/protocol/message.js'
import { createVerifyPool } from '../src/protocol/verify-pool.js'
import { EventSource, type SentEvent } from './event-source.js'
import { createFailOverDatabase } from './fail-over.js'
import { openHubApi } from './hub-api.js'
import { openHubGrpc } from './hub-grpc.js'
import { TestUser, testNow, testNowUnix } from './network.js'

/**
 * An asynchronous fail-over that loses commits: five blocks of casts are read by everybody, the standby has two of them,
 * and six others are written there. So all ids that were lost are used again.
 */

const PATIENCE = { timeout: 300_000 }
const { db, connect, stopReplication, failOver } = await createFailOverDatabase()
await db`create table consumed (seq bigint generated always as identity, id bigint)`
const clock = () => testNowUnix * 1000
const user = new TestUser(1)
const network = FarcasterNetwork.DEVNET
const verifyPool = createVerifyPool({ threads: 0 })
const hub = await createHub({ db, network, shards: 1, verifyPool, clock, mergeHooks })
const http = await openHubApi(db, { hub, config: { heartbeatMs: 100 } })
const grpc = await openHubGrpc(db, { hub })
await http.app.listen({ port: 0 })

const resets: string[] = []
const pool = connect({ poolSize: 6 })
const tail = createEventTail(pool, { pollMs: 200, onReset: (reader) => resets.push(reader) })
const hydrator = new Hydrator({
  db: pool,
  clock,
  locationOf: () => null,
  maxViews: 100,
  maxViewerSetsBytes: 1e6,
})
/** The casts that the consumer was told of, in memory: what has left the server does not go back. */
const told: string[] = []
const stops = [
  await startCacheFollower({
    db: pool,
    listener: pool,
    invalidation: hydrator.invalidation,
    tail,
    shards: 1,
    log: silentLog,
  }),
  startConsumer(
    {
      name: 'keeper',
      from: 'oldest',
      types: [HubEventType.MERGE_MESSAGE],
      handle: async (transaction, events) => {
        for (const { body } of events) if ('message' in body) told.push(hex(body.message))
        return [transaction`insert into consumed (id) select unnest(${events.map(({ id }) => id)}::bigint[])`]
      },
    },
    { db: pool, shards: 1, tail, log: silentLog },
  ),
]
afterAll(async () => {
  for (const source of sources) source.close()
  await Promise.all(stops.map((stop) => stop()))
  await tail.close()
})

const hex = ({ hash }: SignedMessage) => hash.toString('hex')
const casts = (text: string, count: number) =>
  Array.from({ length: count }, (_, n) => user.cast(`${text} ${n}`, testNow - 50 + n))
const kept = casts('kept', 2)
const lost = casts('lost', 3)
const later = casts('later', 6)
const sources: EventSource[] = []

/** Each in a block of its own. */
async function submit(messages: readonly SignedMessage[]): Promise<void> {
  for (const message of messages) {
    await until(async () => (await hub.submit([message]).catch(() => ['unavailable']))[0] === null)
  }
}

/** `expect.poll` works in tests only. */
async function until(isDone: () => boolean | Promise<boolean>): Promise<void> {
  await vi.waitUntil(isDone, PATIENCE)
}

async function openStream(lastEventId?: string): Promise<EventSource> {
  const { port } = http.app.server.address() as { port: number }
  const headers: Record<string, string> = lastEventId === undefined ? {} : { 'last-event-id': lastEventId }
  const source = await EventSource.open(`http://127.0.0.1:${port}/v1/events/stream?from_event_id=0`, headers)
  sources.push(source)
  return source
}

/** The casts of events up to one. */
async function readUntil(source: EventSource, last: SignedMessage): Promise<SentEvent[]> {
  const events: SentEvent[] = []
  for (;;) {
    const event = await source.next()
    if (event === null) throw new Error('the stream has ended')
    events.push(event)
    if (event.data?.includes(hex(last))) return events
  }
}

function castsIn(events: readonly SentEvent[]): string[] {
  return events.flatMap(({ data }) => {
    const message = JSON.parse(data!).mergeMessageBody?.message
    return message ? [message.hash.slice(2)] : []
  })
}

async function subscribe(fromId: number, metadata = new Metadata()) {
  const stream = (
    await grpc.client.subscribe({ eventTypes: [], fromId, shardIndex: 1 }, metadata)
  )._unsafeUnwrap()
  const found: string[] = []
  const reader = { found, lastId: 0, error: null as ServiceError | null, stream }
  stream.on('data', (event: HubEvent) => {
    reader.lastId = event.id
    const hash = event.mergeMessageBody?.message?.hash
    if (hash) found.push(Buffer.from(hash).toString('hex'))
  })
  stream.on('error', (error) => {
    reader.error = error as ServiceError
  })
  return reader
}

const before: {
  stream?: EventSource
  lastEventId?: string
  lostHash?: string
  lastId?: number
  subscriber?: Awaited<ReturnType<typeof subscribe>>
  pageToken?: string
  firstLostId?: number
} = {}

beforeAll(async () => {
  await hub.submitOnChainEvents(user.onChain())
  await submit(kept)
  await until(async () => (await db`select from consumed`).length === kept.length)
  await stopReplication()
  await submit(lost)
  before.firstLostId = await idOfBlock(lost[0]!)

  before.stream = await openStream()
  before.lastEventId = (await readUntil(before.stream, lost.at(-1)!)).at(-1)!.id!
  before.lastId = Number.parseInt(before.lastEventId, 10)
  before.subscriber = await subscribe(0)
  await until(() => before.subscriber!.found.length === 5)
  await until(() => told.length === 5)
  const [confirmation] = (await http.get(`/v1/events?from_event_id=${eventId(blockOf(before.lastId), 0)}`))
    .body.events
  before.lostHash = confirmation.blockConfirmedBody.blockHash
  const { body } = await http.get(`/v1/events?from_event_id=${before.firstLostId}&pageSize=4`)
  before.pageToken = body.nextPageToken
  await until(() => hydrator.invalidation.blocks.hasReached(new Map([[1, blockOf(before.lastId!)]])))
  await until(async () => (await readCached()).join() === 'true,true,false')
  told.length = 0

  await failOver()
  await submit(later)
})

async function idOfBlock(message: SignedMessage): Promise<number> {
  const [row] = await db<{ id: number }[]>`
    select id from hub.events where position(${message.hash} in event) > 0
  `
  return eventId(blockOf(row!.id), 0)
}

/** Whether the first kept, lost and later cast is there, from the caches. */
async function readCached(): Promise<boolean[]> {
  const hashes = [kept, lost, later].map((messages) => hex(messages[0]!))
  const found = await hydrator.casts(hashes)
  return hashes.map((hash) => found.has(hash))
}

const notLost = [...kept, ...later].map(hex)

describe('after a fail-over that lost commits', () => {
  test('lost ids are used again', async () => {
    expect(await idOfBlock(later[0]!)).toBe(before.firstLostId)
  })

  test('an open stream -> log-reset with the id to continue from, then every event from there', async () => {
    const [first, ...events] = await readUntil(before.stream!, later.at(-1)!)
    expect(first?.event).toBe('log-reset')
    expect(JSON.parse(first!.data!)).toEqual({
      shardIndex: 1,
      lostEventId: before.lastId,
      nextEventId: before.firstLostId,
    })
    expect(castsIn(events)).toEqual(later.map(hex))
    expect(events.every(({ event }) => event === undefined)).toBe(true)
  })

  test('a stream resumed on the lost branch -> log-reset, then no event is missing', async () => {
    const stream = await openStream(before.lastEventId)
    const [first, ...events] = await readUntil(stream, later.at(-1)!)
    expect(first?.event).toBe('log-reset')
    expect(JSON.parse(first!.data!).nextEventId).toBeLessThanOrEqual(before.firstLostId!)
    expect(castsIn(events)).toEqual(expect.arrayContaining(later.map(hex)))
    // A reader that stops at the reset continues there, too.
    const resumed = await openStream(first!.id!)
    expect(castsIn(await readUntil(resumed, later.at(-1)!))).toEqual(castsIn(events))
  })

  test('Last-Event-ID without a hash -> continues at the number, as before', async () => {
    const stream = await openStream(String(before.lastId))
    const events = await readUntil(stream, later.at(-1)!)
    expect(castsIn(events)).toEqual(later.slice(3).map(hex))
  })

  test('Last-Event-ID without a hash behind the end of the log -> log-reset', async () => {
    const stream = await openStream(String(eventId(1_000, 1)))
    const [first, ...events] = await readUntil(stream, later.at(-1)!)
    expect(first?.event).toBe('log-reset')
    expect(castsIn(events)).toEqual(notLost)
  })

  test('a page token of the lost branch -> 410 that names the id to continue from', async () => {
    const query = `pageSize=4&pageToken=${encodeURIComponent(before.pageToken!)}`
    const { status: code, body } = await http.get(`/v1/events?${query}`)
    expect([code, body.errCode]).toEqual([410, 'not_found.log_reset'])
    const [, nextId] = /continue from (\d+)/.exec(body.details) ?? []
    expect(Number(nextId)).toBeLessThanOrEqual(before.firstLostId!)
    const page = await http.get(`/v1/events?from_event_id=${nextId}`)
    const events: SentEvent[] = page.body.events.map((event: object) => ({ data: JSON.stringify(event) }))
    expect(castsIn(events)).toEqual(expect.arrayContaining(later.map(hex)))
    expect(castsIn(events).filter((hash) => !notLost.includes(hash))).toEqual([])
  })

  test('a page that was cached -> the events that are there', async () => {
    const { body } = await http.get(`/v1/events?from_event_id=${before.firstLostId}&pageSize=4`)
    const events: SentEvent[] = body.events.map((event: object) => ({ data: JSON.stringify(event) }))
    expect(castsIn(events)).toEqual(later.slice(0, 2).map(hex))
  })

  test('a gRPC subscriber -> ABORTED with the id to continue from, where no event is missing', async () => {
    const { error } = await vi.waitUntil(() => before.subscriber!.error && before.subscriber!, PATIENCE)
    expect(error).toMatchObject({
      code: status.ABORTED,
      details: expect.stringContaining(`continue from ${before.firstLostId}`),
    })
    const [nextId] = error!.metadata.get('x-next-event-id')
    const resumed = await subscribe(Number(nextId))
    await expect.poll(() => resumed.found, PATIENCE).toEqual(later.map(hex))
    resumed.stream.cancel()
  })

  test('gRPC with the hash of the lost block -> ABORTED; with that of the block that is there -> continues', async () => {
    const metadata = new Metadata()
    metadata.set('x-block-hash', before.lostHash!)
    const reader = await subscribe(before.lastId! + 1, metadata)
    await expect.poll(() => reader.error?.code, PATIENCE).toBe(status.ABORTED)
    const { body } = await http.get(`/v1/events?from_event_id=${eventId(blockOf(before.lastId!), 0)}`)
    metadata.set('x-block-hash', body.events[0].blockConfirmedBody.blockHash)
    const resumed = await subscribe(before.lastId! + 1, metadata)
    await expect.poll(() => resumed.found, PATIENCE).toEqual(later.slice(3).map(hex))
    resumed.stream.cancel()
  })

  test('a consumer -> every event that is there once, in order, and nothing that is gone', async () => {
    await expect.poll(() => told, PATIENCE).toEqual(later.map(hex))
    const consumed = () => db<{ id: number }[]>`select id from consumed order by seq`
    const logged = await db<{ id: number }[]>`
      select id from hub.events where type = ${HubEventType.MERGE_MESSAGE} order by id
    `
    // It is told before its transaction ends.
    await expect.poll(consumed, PATIENCE).toEqual(logged)
  })

  test('caches -> are cleared and follow the log that is there', async () => {
    await expect.poll(readCached, PATIENCE).toEqual([true, false, true])
    await expect.poll(() => resets, PATIENCE).toContain('caches')
    const { blocks } = hydrator.invalidation
    const heights = new Map([[1, blockOf(before.firstLostId!) + 5]])
    await expect.poll(() => blocks.hasReached(heights), PATIENCE).toBe(true)
  })
})

test('a log that went back and does not grow again -> open streams and caches are told without a new event', async () => {
  const [last] = casts('never read again', 1)
  await stopReplication()
  await submit([last!])
  const stream = await openStream()
  const { id } = (await readUntil(stream, last!)).at(-1)!
  await expect.poll(async () => (await hydrator.casts([hex(last!)])).size, PATIENCE).toBe(1)
  const height = blockOf(Number.parseInt(id!, 10))
  const { blocks } = hydrator.invalidation
  await expect.poll(() => blocks.hasReached(new Map([[1, height]])), PATIENCE).toBe(true)
  resets.length = 0
  await failOver()
  const reset = await stream.next()
  expect(reset?.event).toBe('log-reset')
  expect(JSON.parse(reset!.data!).lostEventId).toBe(Number.parseInt(id!, 10))
  await expect.poll(async () => (await hydrator.casts([hex(last!)])).size, PATIENCE).toBe(0)
  await expect.poll(() => resets, PATIENCE).toContain('caches')
})
