import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { createTestDatabase } from '../../../../test/database.js'
import { EventSource } from '../../../../test/event-source.js'
import { testNowUnix } from '../../../../test/network.js'
import { createTestApi, type TestApiOptions } from '../../../app/testing/test-api.js'
import { ensurePartitions } from '../../../hub/log/partitions.js'
import { eventChannel } from '../../../hub/log/write.js'
import { HubEventType } from '../../../protocol/definitions.js'
import { createLogin } from '../console-sessions.js'
import { START } from './event-topic.js'

const adminToken = 'the-admin-token-of-the-tests-0123456789'
const { db } = await createTestDatabase()
await ensurePartitions(db, testNowUnix * 1000)
await db`insert into hub.shards (shard) values (1), (2) on conflict do nothing`
const origin = 'http://plaza.test'
const sources: EventSource[] = []
afterEach(() => {
  for (const source of sources.splice(0)) source.close()
})

async function start(live: TestApiOptions['live'] = {}) {
  const { app } = await createTestApi({ db, adminToken, consoleFiles: null, live })
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  afterAll(() => app.close())
  async function open(query: string, headers: Record<string, string> = {}) {
    const source = await EventSource.open(`${url}/admin/stream?${query}`, {
      authorization: `Bearer ${adminToken}`,
      ...headers,
    })
    sources.push(source)
    return source
  }
  return { app, url, open }
}
const server = await start({ heartbeatMs: 100 })

/** Appends events without a body, and notifies. */
async function append(...rows: { shard?: number; id: number; fid?: number; type?: number }[]): Promise<void> {
  await db`
    insert into hub.events (day, shard, id, type, fid, event)
    select '2026-11-01', shard, id, type, fid, ''
    from unnest(
      ${rows.map((row) => row.shard ?? 1)}::smallint[],
      ${rows.map((row) => row.id)}::bigint[],
      ${rows.map((row) => row.type ?? HubEventType.PRUNE_MESSAGE)}::smallint[],
      ${rows.map((row) => row.fid ?? null)}::bigint[]
    ) as written (shard, id, type, fid)
  `
  const { shard = 1, id } = rows.at(-1)!
  await db`select pg_notify(${eventChannel}, ${`${shard}:${id}`})`
}

const ids = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => ({ id: from + index }))

/** The next so many events of the log: the position behind each, and which it is. */
async function take(source: EventSource, count: number): Promise<{ position: string; id: string }[]> {
  const found: { position: string; id: string }[] = []
  while (found.length < count) {
    const { event, id, data } = (await source.next())!
    if (event === 'events') found.push({ position: id!, id: JSON.parse(data!).id })
  }
  return found
}

const idsOf = (events: readonly { id: string }[]) => events.map(({ id }) => id)

/** The blocks of a stream until one of this event comes. */
async function nextOf(source: EventSource, event: string) {
  for (;;) {
    const block = await source.next()
    if (block === null || block.event === event) return block
  }
}

describe('the topic of events', () => {
  afterEach(async () => {
    await db`truncate hub.events`
  })

  it('sends new events once, and continues behind each position after a break, in all shards', async () => {
    await append({ id: 1 }, { id: 5, shard: 2 }, { id: 7 })
    const all = ['1:1', '2:5', '1:7', '1:9', '2:11', '1:12']
    const source = await server.open(`topics=events&after=${START}`)
    const first = await take(source, 3)
    await append({ id: 9 }, { id: 11, shard: 2 }, { id: 12 })
    const events = [...first, ...(await take(source, 3))]
    expect(idsOf(events)).toEqual(all)
    for (const [index, { position }] of events.slice(0, -1).entries()) {
      const rest = all.length - index - 1
      const byHeader = await server.open(`topics=events&after=${START}`, { 'last-event-id': position })
      expect(idsOf(await take(byHeader, rest))).toEqual(all.slice(index + 1))
      const byParameter = await server.open(`topics=events&after=${encodeURIComponent(position)}`)
      expect(idsOf(await take(byParameter, rest))).toEqual(all.slice(index + 1))
    }
  })

  it('goes on exactly where a page of the list ends', async () => {
    await append(...ids(1, 30))
    const headers = { authorization: `Bearer ${adminToken}` }
    const list = async () => (await server.app.inject({ url: '/admin/events?limit=1000', headers })).json()
    const { events, position } = await list()
    expect(idsOf(events)).toEqual(
      ids(1, 30)
        .map(({ id }) => `1:${id}`)
        .reverse(),
    )
    await append(...ids(31, 40))
    const source = await server.open(`topics=events&after=${encodeURIComponent(position)}`)
    expect(idsOf(await take(source, 10))).toEqual(ids(31, 40).map(({ id }) => `1:${id}`))
  })

  it('continues behind a position of 64 shards', async () => {
    await db`insert into hub.shards (shard) select generate_series(3, 64)`
    await append(...Array.from({ length: 64 }, (_, index) => ({ id: 2 ** 45, shard: index + 1 })))
    const [last] = (await take(await server.open(`topics=events&after=${START}`), 64)).slice(-1)
    expect(last!.position.length).toBeGreaterThan(1_000)
    const source = await server.open(`topics=events&after=${encodeURIComponent(last!.position)}`)
    await append({ id: 2 ** 45 + 1, shard: 64 })
    expect(idsOf(await take(source, 1))).toEqual([`64:${2 ** 45 + 1}`])
    await db`delete from hub.shards where shard between 3 and 64`
  })

  it('has filters of type, user and shard', async () => {
    const type = HubEventType.REVOKE_MESSAGE
    await append(
      { id: 1, fid: 7 },
      { id: 2, fid: 8 },
      { id: 3, fid: 7, type },
      { id: 4, fid: 7, type, shard: 2 },
    )
    const found = async (query: string, count: number) =>
      idsOf(await take(await server.open(`topics=events&after=${START}&${query}`), count))
    expect(await found('fid=7', 3)).toEqual(['1:1', '1:3', '2:4'])
    expect(await found('types=REVOKE_MESSAGE,MERGE_MESSAGE', 2)).toEqual(['1:3', '2:4'])
    expect(await found('shard=2', 1)).toEqual(['2:4'])
    expect(await found('fid=7&types=REVOKE_MESSAGE&shard=1', 1)).toEqual(['1:3'])
  })

  it('sends a gap and what follows it to a reader who is too far behind', async () => {
    await append(...ids(1, 12_000))
    const source = await server.open(`topics=events&after=${START}`)
    const gap = await nextOf(source, 'gap')
    await append({ id: 12_001 })
    expect(idsOf(await take(source, 1))).toEqual(['1:12001'])
    const again = await server.open(`topics=events&after=${encodeURIComponent(gap!.id!)}`)
    expect(idsOf(await take(again, 1))).toEqual(['1:12001'])
  })
})

describe('topics that something has changed', () => {
  it('send the fingerprint first, and then when it differs', async () => {
    const source = await server.open('topics=audit,webhooks')
    const first = [await source.next(), await source.next()].map((block) => JSON.parse(block!.data!))
    expect(first.map(({ topic }) => topic).sort()).toEqual(['audit', 'webhooks'])
    const payload = { name: 'a change' }
    const headers = { authorization: `Bearer ${adminToken}` }
    await server.app.inject({ method: 'POST', url: '/admin/apps', headers, payload })
    const changed = JSON.parse((await nextOf(source, 'changed'))!.data!)
    expect(changed.topic).toBe('audit')
    expect(first).not.toContainEqual(changed)
    await db`update webhooks.revision set revision = revision + 1`
    for (;;) {
      const { topic } = JSON.parse((await nextOf(source, 'changed'))!.data!)
      if (topic === 'webhooks') return
    }
  })

  it('cost one look for all streams, and none without', async () => {
    const looks: string[] = []
    const counted = new Proxy(db, {
      apply(target, self, args: [TemplateStringsArray]) {
        const text = Array.isArray(args[0]) ? args[0].join('?') : ''
        if (text.includes('as fingerprint')) looks.push(text)
        return Reflect.apply(target, self, args)
      },
    })
    const { app } = await createTestApi({ db: counted, adminToken, consoleFiles: null })
    const url = await app.listen({ host: '127.0.0.1', port: 0 })
    afterAll(() => app.close())
    const headers = { authorization: `Bearer ${adminToken}` }
    expect(looks).toEqual([])
    const streams: EventSource[] = []
    const startMs = performance.now()
    for (let opened = 0; opened < 8; opened += 1) {
      streams.push(await EventSource.open(`${url}/admin/stream?topics=jobs`, headers))
    }
    await Promise.all(streams.map((stream) => stream.next()))
    // One at the start, and one a second.
    expect(looks.length).toBeLessThanOrEqual(2 + (performance.now() - startMs) / 1_000)
    for (const stream of streams) stream.close()
  })

  it('exist, each of them', async () => {
    for (const topic of ['webhooks', 'campaigns', 'accounts', 'tokens', 'jobs', 'audit']) {
      const block = await (await server.open(`topics=${topic}`)).next()
      expect(JSON.parse(block!.data!)).toEqual({
        topic,
        fingerprint: expect.stringMatching(/^[0-9a-f]{32}$/),
      })
    }
  })
})

it('a stream ends when one of its topics cannot be read, so that its reader knows', async () => {
  const failing = await start({ readOverview: () => Promise.reject(new Error('no database')) })
  const source = await failing.open('topics=overview')
  while ((await source.nextBlock()) !== null);
})

it('the overview is sent again and again', async () => {
  const source = await server.open('topics=overview')
  const values = [await source.next(), await source.next()].map((block) => JSON.parse(block!.data!))
  expect(values.map(({ ready }) => ready)).toEqual([true, true])
})

describe('a stream', () => {
  async function signIn(): Promise<Record<string, string>> {
    const code = await createLogin(db)
    const response = await server.app.inject({
      method: 'POST',
      url: '/console/session',
      headers: { host: 'plaza.test', origin },
      payload: { code },
    })
    return { cookie: String(response.headers['set-cookie']).split(';')[0]!, authorization: '' }
  }

  /** Without the token: the cookie alone. */
  async function openWith(headers: Record<string, string>) {
    const { cookie = '' } = headers
    const source = await EventSource.open(`${server.url}/admin/stream?topics=audit`, { cookie })
    sources.push(source)
    return source
  }

  const ended = async (source: EventSource) => {
    while ((await source.nextBlock()) !== null);
    return true
  }

  it('needs an admin', async () => {
    const { response } = await openWith({})
    expect(response.statusCode).toBe(401)
  })

  it('ends when its session is signed out, or has ended in the database', async () => {
    const first = await signIn()
    const second = await signIn()
    const [one, other] = [await openWith(first), await openWith(second)]
    await one.next()
    await other.next()
    const headers = { host: 'plaza.test', origin, cookie: first.cookie! }
    await server.app.inject({ method: 'DELETE', url: '/console/session', headers })
    expect(await ended(one)).toBe(true)
    await db`update app.console_sessions set expires_at = now()`
    expect(await ended(other)).toBe(true)
    expect((await openWith(second)).response.statusCode).toBe(401)
  })

  it('is one of few, for each caller and for all', async () => {
    const few = await start({ maxStreamsOfSession: 2 })
    const opened = [await few.open('topics=audit'), await few.open('topics=audit')]
    expect((await few.open('topics=audit')).response.statusCode).toBe(429)
    opened[0]!.close()
    await expect.poll(async () => (await few.open('topics=audit')).response.statusCode).toBe(200)
    const fewer = await start({ maxStreams: 1 })
    await fewer.open('topics=audit')
    expect((await fewer.open('topics=audit')).response.statusCode).toBe(503)
  })

  it('is refused when it asks for something that does not exist', async () => {
    for (const query of [
      '',
      'topics=other',
      'topics=events&shard=9',
      'topics=events&types=X',
      'topics=events&after=x',
    ]) {
      expect([query, (await server.open(query)).response.statusCode]).toEqual([query, 400])
    }
  })

  it('ends when the server stops', async () => {
    const other = await start()
    const source = await other.open('topics=audit,events')
    await source.next()
    await other.app.close()
    expect(await ended(source)).toBe(true)
  })
})
