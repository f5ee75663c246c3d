import { getInsecureHubRpcClient, type HubRpcClient, Metadata } from '@farcaster/hub-nodejs'
import { afterAll, afterEach, expect, test } from 'vitest'
import { HubEventType } from '../src/protocol/definitions.js'
import { createTestDatabase } from './database.js'
import { EventSource } from './event-source.js'
import { startTestServer } from './running-server.js'

const EVENTS = 20_000
const KEY = 'a-key-for-the-test'
const { db, url } = await createTestDatabase()
const server = await startTestServer(
  url,
  {
    HUB_GRPC_PORT: '0',
    // Clients of the test have addresses of their own.
    TRUST_PROXY: 'true',
    WORK_CONCURRENCY: '1',
    // A page costs several times as much: what it owes takes minutes to refill.
    WORK_RATE_LIMIT: '2',
    HUB_STREAMS: '4',
    HUB_STREAMS_PER_CALLER: '2',
  },
  afterAll,
)
await db`
  insert into hub.events (day, shard, id, type, event)
  select current_date, 1, 1000000000 + n, ${HubEventType.PRUNE_MESSAGE}::smallint, ''
  from generate_series(1, ${EVENTS}::integer) n
`
const clients: HubRpcClient[] = []
const sources: EventSource[] = []
afterEach(async () => {
  for (const client of clients.splice(0)) client.$.close()
  for (const source of sources.splice(0)) source.close()
})

async function read(path: string, address: string, headers: Record<string, string> = {}) {
  const reply = await fetch(`${server.urls.main}${path}`, {
    headers: { 'x-forwarded-for': address, 'accept-encoding': 'br', ...headers },
  })
  const text = await reply.text()
  return { status: reply.status, headers: Object.fromEntries(reply.headers), text }
}

const heavyPage = '/v1/events?pageSize=10000'

test('a flood of pages: one caller has a part of the queue, and an ordinary read does not wait for it', async () => {
  let answered = 0
  const flood = Array.from({ length: 16 }, async () => {
    const reply = await read(heavyPage, '10.0.0.1')
    if (reply.status === 200) answered += 1
    return reply
  })
  // Behind the first of them.
  await expect
    .poll(async () => (await read('/metrics', '10.0.0.9')).text)
    .toMatch(/lane="reads",state="waiting"} [1-9]/)
  const info = await read('/v1/info', '10.0.0.1')
  expect(info.status).toBe(200)
  expect(answered).toBeLessThan(16)
  const replies = await Promise.all(flood)
  const refused = replies.filter(({ status }) => status !== 200)
  // Those that waited found the budget used up.
  expect(refused.length).toBeGreaterThan(0)
  expect(refused.length).toBeLessThan(16)
  for (const { status, headers, text } of refused) {
    expect(status).toBe(429)
    expect(Number(headers['retry-after'])).toBeGreaterThan(0)
    expect(JSON.parse(text).errCode).toBe('bad_request.rate_limited')
  }
  // What they have cost is more than a minute's budget.
  const broke = await read(heavyPage, '10.0.0.1')
  expect([broke.status, broke.headers['ratelimit-limit'], broke.headers['ratelimit-remaining']]).toEqual([
    429,
    '2',
    '0',
  ])
  expect(Number(broke.headers['retry-after'])).toBeGreaterThan(0)
  expect(JSON.parse(broke.text).details).toContain('more than 2 ms of heavy work a minute')
  // Another address, a light read, and a key have their own.
  const other = await read(heavyPage, '10.0.0.2')
  expect([other.status, other.headers['ratelimit-limit']]).toEqual([200, '2'])
  // In parts, and compressed on the way.
  expect(other.headers).toMatchObject({ 'content-encoding': 'br', 'transfer-encoding': 'chunked' })
  expect(JSON.parse(other.text).events.length).toBe(10_000)
  expect((await read('/v1/events?pageSize=10', '10.0.0.1')).status).toBe(200)
  expect((await read(heavyPage, '10.0.0.1', { 'x-api-key': KEY })).status).toBe(200)
  // A key that nobody has is no caller of its own.
  expect((await read(heavyPage, '10.0.0.1', { 'x-api-key': 'made up' })).status).toBe(429)
})

test('many addresses: the queue is full -> 503 with the time after which to retry', async () => {
  const flood = Array.from({ length: 300 }, (_, index) =>
    read(heavyPage, `10.1.${index >> 8}.${index & 255}`),
  )
  const busy = await Promise.any(
    flood.map(async (reply) => {
      const { status, headers } = await reply
      if (status !== 503) throw new Error(`${status}`)
      return headers
    }),
  )
  expect(Number(busy['retry-after'])).toBeGreaterThan(0)
  expect((await read('/v1/info', '10.0.0.1')).status).toBe(200)
  const replies = await Promise.all(flood)
  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200, 503]))
})

test('gRPC: a call that is refused says so, and a page comes from the same budget', async () => {
  const client = connect()
  const metadata = metadataOf('10.2.0.1')
  const page = await client.getEvents({ startId: 0 }, metadata)
  expect(page._unsafeUnwrap().events.length).toBeGreaterThan(1_000)
  let again = await client.getEvents({ startId: 0 }, metadata)
  while (again.isOk()) again = await client.getEvents({ startId: 0 }, metadata)
  const refused = again._unsafeUnwrapErr()
  expect([refused.errCode, refused.message]).toEqual([
    'bad_request.rate_limited',
    expect.stringContaining('heavy work'),
  ])
  expect((await client.getEvents({ startId: 0, pageSize: 1 } as never, metadata)).isOk()).toBe(true)
})

test('event streams: each address and each key has so many, and all together', async () => {
  const open = async (address: string, headers: Record<string, string> = {}) => {
    const path = `${server.urls.main}/v1/events/stream`
    const source = await EventSource.open(path, { 'x-forwarded-for': address, ...headers })
    sources.push(source)
    return source.response
  }
  expect([(await open('10.3.0.1')).statusCode, (await open('10.3.0.1')).statusCode]).toEqual([200, 200])
  const refused = await read('/v1/events/stream', '10.3.0.1')
  expect([refused.status, JSON.parse(refused.text).details]).toEqual([
    429,
    'too many event streams of this API key or address are open: 2',
  ])
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
  expect((await open('10.3.0.1', { 'x-api-key': KEY })).statusCode).toBe(200)
  expect((await open('10.3.0.2')).statusCode).toBe(200)
  const full = await read('/v1/events/stream', '10.3.0.3')
  expect([full.status, JSON.parse(full.text).details]).toEqual([
    503,
    'too many event streams are open on this server: 4',
  ])
  sources.shift()!.close()
  await expect.poll(async () => (await open('10.3.0.1')).statusCode).toBe(200)
})

test('gRPC subscriptions: the same', async () => {
  const client = connect()
  const open = async (metadata: Metadata) => {
    const stream = (await client.subscribe({ eventTypes: [] }, metadata))._unsafeUnwrap()
    return await new Promise<string>((resolve) => {
      stream.once('metadata', () => resolve('open'))
      stream.once('error', (error: Error) => resolve(error.message))
    })
  }
  const address = metadataOf('10.4.0.1')
  expect([await open(address), await open(address)]).toEqual(['open', 'open'])
  expect(await open(address)).toContain('too many subscriptions of this API key or address: 2')
  const keyed = metadataOf('10.4.0.1')
  keyed.set('x-api-key', KEY)
  expect(await open(keyed)).toBe('open')
  expect(await open(metadataOf('10.4.0.2'))).toBe('open')
  expect(await open(metadataOf('10.4.0.3'))).toContain('too many subscribers on this server: 4')
})

function connect(): HubRpcClient {
  const client = getInsecureHubRpcClient(server.urls.grpc ?? '', { 'grpc.use_local_subchannel_pool': 1 })
  clients.push(client)
  return client
}

function metadataOf(address: string): Metadata {
  const metadata = new Metadata()
  metadata.set('x-forwarded-for', address)
  return metadata
}
