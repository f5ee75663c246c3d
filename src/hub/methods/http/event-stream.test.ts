import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createTestDatabase } from '../../../../test/database.js'
import { EventSource } from '../../../../test/event-source.js'
import { openHubApi, type TestHubApi } from '../../../../test/hub-api.js'
import { testNowUnix } from '../../../../test/network.js'
import { connect } from '../../../platform/db/connection.js'
import { readSendQueues } from '../../../platform/streams/send-queues.js'
import { HubEventType } from '../../../protocol/definitions.js'
import { dropExpiredPartitions, ensurePartitions } from '../../log/partitions.js'
import { eventChannel } from '../../log/write.js'

const { db } = await createTestDatabase()
const heartbeatMs = 100
const dayMs = 24 * 60 * 60 * 1000
const nowMs = testNowUnix * 1000
const sources: EventSource[] = []

beforeEach(async () => {
  await ensurePartitions(db, nowMs)
  await db`truncate hub.events`
  await db`update hub.shards set first_retained_id = 0`
})
afterEach(() => {
  for (const source of sources.splice(0)) source.close()
})

const single = await openHubApi(db, { config: { heartbeatMs } })
const double = await openHubApi(db, { hub: single.hub, config: { shards: 2, heartbeatMs } })
await db`insert into hub.shards (shard) values (2) on conflict do nothing`
await single.app.listen({ port: 0 })
await double.app.listen({ port: 0 })

async function open(api: TestHubApi, query = '', headers: Record<string, string> = {}): Promise<EventSource> {
  const address = api.app.server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  const source = await EventSource.open(`http://127.0.0.1:${port}/v1/events/stream?${query}`, headers)
  sources.push(source)
  return source
}

interface Row {
  readonly shard?: number
  readonly id: number
  readonly fid?: number
  readonly type?: number
  readonly day?: number
  readonly bytes?: number
}

/** Appends events without a body in one transaction, and notifies. */
async function append(...rows: Row[]): Promise<void> {
  await db.begin(async (transaction) => {
    await transaction`
      insert into hub.events (day, shard, id, type, fid, event)
      select '2026-11-01'::date + day, shard, id, type, fid, convert_to(repeat('x', bytes), 'UTF8')
      from unnest(
        ${rows.map((row) => row.day ?? 0)}::integer[],
        ${rows.map((row) => row.shard ?? 1)}::smallint[],
        ${rows.map((row) => row.id)}::bigint[],
        ${rows.map((row) => row.type ?? HubEventType.PRUNE_MESSAGE)}::smallint[],
        ${rows.map((row) => row.fid ?? null)}::bigint[],
        ${rows.map((row) => row.bytes ?? 0)}::integer[]
      ) as written (day, shard, id, type, fid, bytes)
    `
    const last = rows.at(-1)!
    await transaction`select pg_notify(${eventChannel}, ${`${last.shard ?? 1}:${last.id}`})`
  })
}

function ids(from: number, to: number): Row[] {
  return Array.from({ length: to - from + 1 }, (_, index) => ({ id: from + index }))
}

async function take(source: EventSource, count: number): Promise<string[]> {
  const events = await source.take(count)
  return events.map((event) => {
    const { shardIndex, id } = JSON.parse(event.data!)
    return `${shardIndex}:${id}`
  })
}

describe('a stream', () => {
  test('without a position -> sends new events, as /v1/events has them', async () => {
    await append({ id: 1 })
    const source = await open(single)
    expect(source.response.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'access-control-allow-origin': '*',
    })
    const first = await source.nextBlock()
    expect(first).toMatchObject({ id: '1', retry: '2000' })
    await append({ id: 2 })
    const event = await source.next()
    const { body } = await single.get('/v1/events?from_event_id=2')
    expect([event?.id, JSON.parse(event!.data!)]).toEqual(['2', body.events[0]])
  })

  test('from_event_id -> starts at this id', async () => {
    await append(...ids(1, 3))
    expect(await take(await open(single, 'from_event_id=2'), 2)).toEqual(['1:2', '1:3'])
    expect(await take(await open(single, 'from_event_id=0'), 3)).toEqual(['1:1', '1:2', '1:3'])
  })

  test('Last-Event-ID -> resumes after it, whatever from_event_id says', async () => {
    await append(...ids(1, 4))
    const source = await open(single, 'from_event_id=1', { 'last-event-id': '2' })
    expect(await take(source, 2)).toEqual(['1:3', '1:4'])
  })

  test('several shards -> a position for each, and resuming loses and repeats nothing', async () => {
    const rows = [
      { shard: 1, id: 10 },
      { shard: 2, id: 5 },
      { shard: 2, id: 10 },
      { shard: 1, id: 12 },
      { shard: 2, id: 30 },
    ]
    await append(...rows)
    const all = ['2:5', '1:10', '2:10', '1:12', '2:30']
    const events = await (await open(double, 'from_event_id=0')).take(5)
    expect(events.map((event) => event.id)).toEqual([
      '2:5',
      '1:10,2:5',
      '1:10,2:10',
      '1:12,2:10',
      '1:12,2:30',
    ])
    for (const [index, event] of events.slice(0, -1).entries()) {
      const resumed = await open(double, 'from_event_id=0', { 'last-event-id': event.id! })
      expect(await take(resumed, 4 - index)).toEqual(all.slice(index + 1))
    }
    expect(await take(await open(double, 'shard_index=2', { 'last-event-id': '5' }), 2)).toEqual([
      '2:10',
      '2:30',
    ])
    expect(await take(await open(double, 'shard_index=2', { 'last-event-id': '2:5' }), 2)).toEqual([
      '2:10',
      '2:30',
    ])
  })

  test('a shard that was empty, behind the id of the URL -> all its events after a reconnect', async () => {
    await append({ shard: 1, id: 50 })
    const [first] = await (await open(double, 'from_event_id=50')).take(1)
    expect(first!.id).toBe('1:50')
    await append({ shard: 2, id: 5 }, { shard: 1, id: 51 })
    const resumed = await open(double, 'from_event_id=50', { 'last-event-id': first!.id! })
    expect((await take(resumed, 2)).toSorted()).toEqual(['1:51', '2:5'])
  })

  test('fid and event_type -> only these events; the position passes the others', async () => {
    await append(
      { id: 1, fid: 7 },
      { id: 2, fid: 8 },
      { id: 3 },
      { id: 4, fid: 9, type: 1 },
      { id: 5, fid: 6 },
    )
    expect(await take(await open(single, 'from_event_id=0&fid=7&fid=8,9'), 3)).toEqual(['1:1', '1:2', '1:4'])
    expect(
      await take(await open(single, 'from_event_id=0&event_type=HUB_EVENT_TYPE_MERGE_MESSAGE'), 1),
    ).toEqual(['1:4'])
    expect(await take(await open(single, 'from_event_id=0&event_type=1,3&fid=9'), 1)).toEqual(['1:4'])
    const rare = await open(single, 'from_event_id=0&fid=7')
    expect(await take(rare, 1)).toEqual(['1:1'])
    const heartbeat = await rare.nextBlock()
    expect(heartbeat).toEqual({ comment: 'heartbeat', id: '5' })
  })

  test('sends heartbeats while there is no event', async () => {
    const source = await open(single)
    await source.nextBlock()
    expect(await source.nextBlock()).toEqual({ comment: 'heartbeat' })
    expect(await source.nextBlock()).toEqual({ comment: 'heartbeat' })
  })

  test('sends every event once while the log grows', async () => {
    const source = await open(single, 'from_event_id=0')
    const expected: string[] = []
    for (let n = 0; n < 30; n += 1) {
      const rows = ids(n * 20, n * 20 + (n % 17))
      expected.push(...rows.map((row) => `1:${row.id}`))
      await append(...rows)
    }
    expect(await take(source, expected.length)).toEqual(expected)
  })

  test('dropped position -> ends with an error that names the oldest id', async () => {
    await ensurePartitions(db, nowMs - dayMs)
    await append({ id: 5, day: -1 }, { id: 9 })
    await dropExpiredPartitions(db, nowMs + dayMs, 1)
    const source = await open(single, 'from_event_id=3')
    const error = await source.next()
    expect(error?.event).toBe('error')
    expect(JSON.parse(error!.data!)).toMatchObject({
      error: 'Failed to stream events',
      errCode: 'not_found.event_dropped',
      details: expect.stringContaining('the oldest kept is 9'),
    })
    expect(await source.next()).toBeNull()
  })

  test('an id below the floor of one of several shards -> starts there at its oldest, and can be resumed', async () => {
    await ensurePartitions(db, nowMs - dayMs)
    await append({ shard: 2, id: 50, day: -1 }, { shard: 2, id: 60 }, { id: 5 }, { id: 8 })
    await dropExpiredPartitions(db, nowMs + dayMs, 1)
    const events = await (await open(double, 'from_event_id=5')).take(2)
    expect(events.map(({ id }) => id)).toEqual(['1:5,2:50', '1:8,2:50'])
    const resumed = await open(double, 'from_event_id=5', { 'last-event-id': events[0]!.id! })
    expect(await take(resumed, 2)).toEqual(['1:8', '2:60'])
  })
})

/** The open streams on the server, in the order of their start. */
function serverSide(api: TestHubApi): ServerResponse[] {
  const responses: ServerResponse[] = []
  api.app.server.on('request', (_request, response) => responses.push(response))
  return responses
}

test('a slow reader delays no other, holds one page, and gets every event', async () => {
  // Events that cannot be decoded are sent without a body, so many are needed.
  const count = 60_000
  await db`
    insert into hub.events (day, shard, id, type, event)
    select '2026-11-01', 1, n, 1, '\\x00' from generate_series(1, ${count}::integer) n
  `
  const responses = serverSide(single)
  const slow = await open(single, 'from_event_id=0')
  slow.response.pause()
  const fast = await open(single, 'from_event_id=0')
  expect((await fast.take(count)).at(-1)?.id).toBe(String(count))
  const waiting = responses[0]!
  expect(waiting.writableNeedDrain).toBe(true)
  const held = waiting.writableLength
  expect(held).toBeLessThan(1024 * 1024)
  await sleep(heartbeatMs * 3)
  expect(waiting.writableLength).toBe(held)
  slow.response.resume()
  const events = await slow.take(count)
  expect(events.map((event) => Number(event.id))).toEqual(Array.from({ length: count }, (_, n) => n + 1))
})

test('streams at the end of the log share one read', async () => {
  const statements: string[] = []
  const counted = new Proxy(db, {
    apply(target, self, args: [TemplateStringsArray]) {
      if (args[0].join('').includes('from unnest(')) statements.push(args[0].join('?'))
      return Reflect.apply(target, self, args)
    },
  })
  const api = await openHubApi(counted, { hub: single.hub })
  await api.app.listen({ port: 0 })
  const readers = await Promise.all(Array.from({ length: 20 }, () => open(api)))
  await Promise.all(readers.map((reader) => reader.nextBlock()))
  let lastCount = -1
  const isQuiet = () => {
    const isSame = lastCount === statements.length
    lastCount = statements.length
    return isSame
  }
  await expect.poll(isQuiet, { interval: 50 }).toBe(true)
  statements.length = 0
  await append({ id: 1 })
  expect(await Promise.all(readers.map((reader) => take(reader, 1)))).toEqual(readers.map(() => ['1:1']))
  expect(statements.length).toBeLessThan(5)
})

test('streams beyond the limit -> 503, until one ends', async () => {
  const api = await openHubApi(db, { hub: single.hub, config: { maxStreams: 2 } })
  await api.app.listen({ port: 0 })
  const [first] = [await open(api), await open(api)]
  const { status, headers, body } = await api.get('/v1/events/stream')
  expect([status, body.errCode, headers['retry-after']]).toEqual([503, 'unavailable', '2'])
  first!.close()
  await expect.poll(async () => (await open(api)).response.statusCode).toBe(200)
})

test.runIf(process.platform === 'linux')(
  'a reader that takes nothing, while the buffers of the kernel hold what was written -> its stream ends',
  async () => {
    const api = await openHubApi(db, { hub: single.hub, config: { stallTimeoutMs: 400, heartbeatMs } })
    await api.app.listen({ port: 0 })
    const responses = serverSide(api)
    const stalled = await open(api)
    stalled.response.socket.pause()
    let lastId = 0
    let looks = 0
    const appendAndLook = async () => {
      const { socket, destroyed } = responses[0]!
      // On a busy machine it is found before this has looked.
      if (destroyed) return Number.POSITIVE_INFINITY
      const queued = (socket && (await readSendQueues())(socket)) ?? 0
      looks = queued > 16_384 ? looks + 1 : 0
      if (looks > 0) return looks
      await append(...ids(lastId + 1, lastId + 100))
      lastId += 100
      return looks
    }
    // As much as the reader's kernel takes, and a little more, which is not only on its way: it stays. A write waits only
    // when the own kernel is full, too.
    await expect.poll(appendAndLook, { interval: 20 }).toBeGreaterThan(10)
    await expect.poll(() => responses[0]!.destroyed).toBe(true)
    const reader = await open(api, `from_event_id=${lastId}`)
    expect(await take(reader, 1)).toEqual([`1:${lastId}`])
  },
)

test('database unavailable for a while -> the stream waits', async () => {
  let isAway = false
  let askedMeanwhile = 0
  // No server listens on the lowest port.
  const away = connect('postgres://127.0.0.1:1/nothing', { poolSize: 1, applicationName: 'plaza test' })
  const flaky = new Proxy(db, {
    apply(target, self, args) {
      if (isAway) askedMeanwhile += 1
      return Reflect.apply((isAway ? away : target) as typeof db, self, args as [string])
    },
  })
  const api = await openHubApi(flaky, { hub: single.hub, config: { heartbeatMs } })
  await api.app.listen({ port: 0 })
  const source = await open(api)
  // The stream reads nothing more after it has sent the last event.
  await append({ id: 1 })
  expect(await take(source, 1)).toEqual(['1:1'])
  isAway = true
  await append({ id: 2 })
  await expect.poll(() => askedMeanwhile).toBeGreaterThan(0)
  expect(await source.nextBlock()).toMatchObject({ comment: 'heartbeat' })
  isAway = false
  expect(await take(source, 1)).toEqual(['1:2'])
  await away.end()
})

test('the server stops -> all streams end, slow ones too', async () => {
  const api = await openHubApi(db, { hub: single.hub })
  await api.app.listen({ port: 0 })
  await db`
    insert into hub.events (day, shard, id, type, event)
    select '2026-11-01', 1, n, 1, '\\x00' from generate_series(1, 60000) n
  `
  const responses = serverSide(api)
  const reader = await open(api)
  const slow = await open(api, 'from_event_id=0')
  slow.response.pause()
  await reader.nextBlock()
  await expect.poll(() => responses.some((response) => response.writableNeedDrain)).toBe(true)
  const startedAt = performance.now()
  await api.app.close()
  // Half the time that a slow reader has while the server runs.
  expect(performance.now() - startedAt).toBeLessThan(60_000)
  expect(await reader.next()).toBeNull()
})
