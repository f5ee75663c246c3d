import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { createTestDatabase } from '../../../../test/database.js'
import { EventSource } from '../../../../test/event-source.js'
import { testNowUnix } from '../../../../test/network.js'
import { createTestApi, type TestApiOptions } from '../../../app/testing/test-api.js'
import { ensurePartitions } from '../../../hub/log/partitions.js'
import { eventChannel } from '../../../hub/log/write.js'
import { createLogin } from '../console-sessions.js'
import { START } from './event-topic.js'

const adminToken = 'the-admin-token-of-the-tests-0123456789'
const { db } = await createTestDatabase()
await ensurePartitions(db, testNowUnix * 1000)
await db`insert into hub.shards (shard) values (1) on conflict do nothing`
const bearer = { authorization: `Bearer ${adminToken}` }
const sources: EventSource[] = []
afterEach(async () => {
  for (const source of sources.splice(0)) source.close()
  await db`truncate hub.events`
  await db`update hub.shards set first_retained_id = 0`
})

async function start(live: TestApiOptions['live'] = {}) {
  const { app } = await createTestApi({ db, adminToken, consoleFiles: null, live })
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  afterAll(() => app.close())
  async function open(query: string, headers: Record<string, string> = bearer) {
    const source = await EventSource.open(`${url}/admin/stream?${query}`, headers)
    sources.push(source)
    return source
  }
  async function signIn(): Promise<{ cookie: string }> {
    const response = await app.inject({
      method: 'POST',
      url: '/console/session',
      headers: { host: 'plaza.test', 'sec-fetch-site': 'same-origin' },
      payload: { code: await createLogin(db) },
    })
    return { cookie: String(response.headers['set-cookie']).split(';')[0]! }
  }
  return { app, open, signIn }
}
const server = await start({ heartbeatMs: 50 })

/** Appends an event without a body, and notifies. */
async function append(id: number, fid = 7): Promise<void> {
  await db`
    insert into hub.events (day, shard, id, type, fid, event) values ('2026-11-01', 1, ${id}, 1, ${fid}, '')
  `
  await db`select pg_notify(${eventChannel}, ${`1:${id}`})`
}

/** Passes over heartbeats until one of these comes. */
async function nextOf(source: EventSource, ...events: string[]) {
  for (;;) {
    const block = await source.next()
    if (block === null || events.includes(block.event!)) return block
  }
}

async function heartbeats(source: EventSource, count: number): Promise<void> {
  for (let seen = 0; seen < count; ) {
    const block = await source.nextBlock()
    if (block === null) expect.fail('the stream has ended')
    if (block.event === 'heartbeat') seen += 1
  }
}

describe('a stream', () => {
  it('begins with the time for the next try, is not buffered by proxies, and has heartbeats', async () => {
    const source = await server.open('topics=audit')
    expect(source.response.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'x-accel-buffering': 'no',
      'cache-control': 'no-store',
    })
    expect(await source.nextBlock()).toEqual({ retry: '2000', comment: 'connected' })
    await heartbeats(source, 2)
  })

  it('has its topics, with the name of their events', async () => {
    const source = await server.open('topics=overview,audit')
    const blocks = [await source.next(), await source.next()]
    expect(blocks.map((block) => block!.event).sort()).toEqual(['changed', 'overview'])
    const changed = blocks.find((block) => block!.event === 'changed')
    expect(JSON.parse(changed!.data!)).toMatchObject({ topic: 'audit' })
  })

  it('goes on while its session does, also when another one is signed out', async () => {
    const [first, second] = [await server.signIn(), await server.signIn()]
    const [one, other] = [await server.open('topics=audit', first), await server.open('topics=audit', second)]
    await one.next()
    const headers = { ...first, host: 'plaza.test', 'sec-fetch-site': 'same-origin' }
    await server.app.inject({ method: 'DELETE', url: '/console/session', headers })
    while ((await one.nextBlock()) !== null);
    await heartbeats(other, 3)
  })

  it('with the admin token ends with no session', async () => {
    const source = await server.open('topics=audit')
    const session = await server.signIn()
    const headers = { ...session, host: 'plaza.test', 'sec-fetch-site': 'same-origin' }
    await server.app.inject({ method: 'DELETE', url: '/console/session', headers })
    await heartbeats(source, 3)
  })

  it('ends when another sign-in replaces its session', async () => {
    const session = await server.signIn()
    const source = await server.open('topics=audit', session)
    await server.app.inject({
      method: 'POST',
      url: '/console/session',
      headers: { ...session, host: 'plaza.test', 'sec-fetch-site': 'same-origin' },
      payload: { code: await createLogin(db) },
    })
    while ((await source.nextBlock()) !== null);
  })

  it('is counted for its session, not for its address', async () => {
    const few = await start({ maxStreamsOfSession: 1 })
    const [first, second] = [await few.signIn(), await few.signIn()]
    const statusOf = async (headers: Record<string, string>) =>
      (await few.open('topics=audit', headers)).response.statusCode
    expect([await statusOf(first), await statusOf(second), await statusOf(bearer)]).toEqual([200, 200, 200])
    expect([await statusOf(first), await statusOf(second), await statusOf(bearer)]).toEqual([429, 429, 429])
  })

  it.each([
    ['topics=audit,other', 'topics', 'there is no topic other'],
    ['topics=events,events2', 'topics', 'there is no topic events2'],
    [`topics=${'audit,'.repeat(40)}`, 'topics', expect.stringContaining('200')],
    [`topics=events&after=${'1'.repeat(5_825)}`, 'after', expect.stringContaining('5824')],
  ])('%.30s -> 400', async (query, property, message) => {
    const response = await server.app.inject({ url: `/admin/stream?${query}`, headers: bearer })
    expect(response.json()).toMatchObject({ status: 400, property, message })
  })

  it('is no answer to HEAD', async () => {
    const options = { method: 'HEAD', url: '/admin/stream?topics=audit', headers: bearer } as const
    expect((await server.app.inject(options)).statusCode).toBe(404)
  })
})

describe('the topic of events', () => {
  it('begins at the end of the log unless a position is given', async () => {
    await append(1)
    const source = await server.open('topics=events')
    const first = nextOf(source, 'events', 'gap')
    let isThere = false
    void first.then(() => {
      isThere = true
    })
    // Until the stream has begun, nobody is told of an event.
    await expect
      .poll(async () => {
        await append(1 + Date.now())
        return isThere
      })
      .toBe(true)
    const { event, data } = (await first)!
    expect([event, JSON.parse(data!).id]).not.toEqual(['events', '1:1'])
    expect(event).toBe('events')
  })

  it('sends a position behind events that the filter leaves out', async () => {
    await append(1, 8)
    const source = await server.open(`topics=events&fid=7&after=${START}`)
    const passed = await nextOf(source, 'position')
    expect([passed!.id, passed!.data]).toEqual(['1', '{}'])
    await append(2, 7)
    const { event, id } = (await nextOf(source, 'events', 'gap'))!
    expect([event, id]).toEqual(['events', '2'])
  })

  it('repeats nothing for an empty log, whose position is its start', async () => {
    const source = await server.open(`topics=events,audit&after=${START}`)
    await nextOf(source, 'changed')
    await append(1)
    const block = await nextOf(source, 'events', 'gap', 'position')
    expect([block!.event, block!.id]).toEqual(['events', '1'])
  })

  it('sends a gap in place of what is no longer kept, and goes on behind it', async () => {
    await append(1)
    await append(20)
    await db`update hub.shards set first_retained_id = 10`
    const source = await server.open('topics=events&after=1')
    const gap = await nextOf(source, 'events', 'gap')
    expect([gap!.event, gap!.id, gap!.data]).toEqual(['gap', '20', '{}'])
    await append(21)
    expect((await nextOf(source, 'events', 'gap'))!.id).toBe('21')
  })

  it('prefers the position of the last event to that of its URL, unless it is empty', async () => {
    for (const id of [1, 2, 3]) await append(id)
    const idOf = async (headers: Record<string, string>) =>
      (await nextOf(await server.open('topics=events&after=1', { ...bearer, ...headers }), 'events'))!.id
    expect(await idOf({ 'last-event-id': '2' })).toBe('3')
    expect(await idOf({ 'last-event-id': '' })).toBe('2')
  })
})
