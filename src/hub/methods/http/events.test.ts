import fc from 'fast-check'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createTestDatabase } from '../../../../test/database.js'
import { openHubApi } from '../../../../test/hub-api.js'
import { TestUser, testNow } from '../../../../test/network.js'
import { shardOf } from '../../../protocol/shard.js'

const { db } = await createTestDatabase()
const shards = 2
const api = await openHubApi(db, { config: { shards } })
const users = [1, 2, 3, 4].map((fid) => new TestUser(fid))

beforeAll(async () => {
  await api.hub.submitOnChainEvents(users.flatMap((user) => user.onChain()))
  for (let n = 0; n < 6; n += 1) {
    await api.hub.submit(users.slice(0, 1 + (n % 4)).map((user) => user.cast(`cast ${n}`, testNow - 100 + n)))
  }
})

interface EventJson {
  id: number
  shardIndex: number
  blockNumber: number
  type: string
}

interface PageJson {
  events: EventJson[]
  nextPageToken?: string
  nextPageEventId: number
}

async function page(query: string): Promise<PageJson> {
  const { status, body, text } = await api.get(`/v1/events?${query}`)
  expect(status, text).toBe(200)
  return body
}

function nameOf({ id, shardIndex }: EventJson): string {
  return `${shardIndex}:${id}`
}

/** All events of the log. */
async function logged(shard?: number): Promise<string[]> {
  const rows = await db<{ name: string }[]>`
    select shard || ':' || id as name
    from hub.events
    where ${shard ?? null}::integer is null or shard = ${shard ?? null}::integer
    order by id, shard
  `
  return rows.map((row) => row.name)
}

/** Reads all pages by their tokens. */
async function walk(query: string): Promise<string[]> {
  const names: string[] = []
  let token = ''
  for (;;) {
    const { events, nextPageToken } = await page(`${query}&pageToken=${encodeURIComponent(token)}`)
    names.push(...events.map(nameOf))
    if (nextPageToken === undefined) return names
    token = nextPageToken
  }
}

describe('/v1/events', () => {
  test('merges all shards by id; ids are numbers, and block numbers follow from them', async () => {
    const { events, nextPageToken } = await page('')
    expect(events.map(nameOf)).toEqual(await logged())
    expect(new Set(events.map((event) => event.shardIndex))).toEqual(new Set([1, 2]))
    for (const event of events) expect(event.blockNumber).toBe(Math.floor(event.id / 16_384))
    expect(nextPageToken).toBeUndefined()
  })

  test('shard_index -> events of this shard', async () => {
    const { events } = await page('shard_index=2')
    expect(events.map(nameOf)).toEqual(await logged(2))
  })

  test('starts at an id, stops before another, and reverses', async () => {
    const all = await logged(1)
    const [from, stop] = [all[1]!, all[4]!].map((name) => Number(name.split(':')[1]))
    const range = `shard_index=1&from_event_id=${from}&stop_id=${stop}`
    expect((await page(range)).events.map(nameOf)).toEqual(all.slice(1, 4))
    for (const reverse of ['1', 'true']) {
      const { events } = await page(`${range}&reverse=${reverse}`)
      expect(events.map(nameOf)).toEqual(all.slice(1, 4).reverse())
    }
    expect((await page('shard_index=1&pageSize=1&reverse=true')).events.map(nameOf)).toEqual([all.at(-1)])
    expect((await page('from_event_id=18446744073709551615')).events).toEqual([])
  })

  test('accepts both spellings of paging; the one in snake case counts first', async () => {
    expect((await page('page_size=2&pageSize=3')).events).toHaveLength(2)
    expect((await page('pageSize=3')).events).toHaveLength(3)
  })

  test('returns tokens in the form of the reference node', async () => {
    const { events, nextPageToken } = await page('shard_index=1&pageSize=1')
    const key = Buffer.alloc(9)
    key[0] = 9
    key.writeBigUInt64BE(BigInt(events[0]!.id), 1)
    const [entry] = JSON.parse(Buffer.from(nextPageToken!, 'base64').toString())
    expect(entry.slice(0, 9)).toEqual([...key])
    const second = (await logged(1)).slice(1, 2)
    // The sample of the reference documentation, of block 9254285.
    const sample = 'W1s5LDAsMCwwLDM1LDc3LDk5LDY0LDBdXQ=='
    expect((await page(`shard_index=1&pageToken=${sample}`)).events).toEqual([])
    const again = await page(`shard_index=1&pageSize=1&page_token=${encodeURIComponent(nextPageToken!)}`)
    expect(again.events.map(nameOf)).toEqual(second)
  })

  test('malformed token, or one for another number of shards -> 400', async () => {
    const { nextPageToken } = await page('shard_index=1&pageSize=1')
    const bad = [
      encodeURIComponent(nextPageToken!),
      '@@@',
      'e30=',
      Buffer.from('[[8,0,0,0,0,0,0,0,1],null]').toString('base64'),
      Buffer.from('[[9,0,0,0,0,0,0,1],null]').toString('base64'),
      Buffer.from('[[9,255,255,255,255,255,255,255,255],null]').toString('base64'),
      Buffer.from('[1,2]').toString('base64'),
    ]
    for (const token of bad) {
      const { status, body } = await api.get(`/v1/events?pageToken=${token}`)
      expect([status, body.property]).toEqual([400, 'pageToken'])
    }
  })

  test('nextPageEventId: exact for one shard, without loss for several', async () => {
    const all = await logged(1)
    const first = await page('shard_index=1&pageSize=2')
    expect(`1:${first.nextPageEventId}`).toBe(all[2])
    const last = await page('shard_index=1')
    expect(last.nextPageEventId).toBe(last.events.at(-1)!.id + 1)
    const down = await page('shard_index=1&pageSize=2&reverse=true')
    const below = await page(`shard_index=1&reverse=true&stop_id=${down.nextPageEventId}`)
    expect([...down.events, ...below.events].map(nameOf)).toEqual([...all].reverse())

    const seen = new Set<string>()
    let from = 0
    for (let n = 0; n < 100; n += 1) {
      const { events, nextPageEventId, nextPageToken } = await page(`from_event_id=${from}&pageSize=3`)
      for (const event of events) seen.add(nameOf(event))
      if (nextPageToken === undefined) break
      from = nextPageEventId
    }
    expect([...seen].sort()).toEqual((await logged()).sort())
  })

  test('loses nothing when a shard writes an id below those of another that were read', async () => {
    const token = await endToken()
    const behind = users.find((user) => shardOf(user.fid, shards) === 2)!
    await api.hub.submit([behind.cast('late', testNow)])
    const { events } = await page(`pageToken=${encodeURIComponent(token)}`)
    expect(events.map((event) => event.shardIndex)).toEqual([2, 2])
  })

  test('any page size, shards and direction -> every event once', async () => {
    const options = fc.record({
      size: fc.integer({ min: 1, max: 30 }),
      shard: fc.constantFrom(undefined, 1, 2),
      reverse: fc.boolean(),
    })
    await fc.assert(
      fc.asyncProperty(options, async ({ size, shard, reverse }) => {
        const query = `page_size=${size}&reverse=${reverse}${shard ? `&shard_index=${shard}` : ''}`
        const expected = await logged(shard)
        expect(await walk(query)).toEqual(reverse ? expected.reverse() : expected)
      }),
      { numRuns: 40 },
    )
  })
})

describe('/v1/events of several shards, after retention dropped events of one', () => {
  const cutoff = async () => Number((await logged(2)).at(-4)!.split(':')[1])

  async function setFloors(floors: Readonly<Record<number, number>>): Promise<void> {
    for (const [shard, floor] of Object.entries(floors)) {
      await db`update hub.shards set first_retained_id = ${floor}::bigint where shard = ${Number(shard)}`
    }
  }

  afterEach(() => setFloors({ 1: 0, 2: 0 }))

  test('nextPageEventId of a shard that keeps all -> reads on, and finds every kept event', async () => {
    const floor = await cutoff()
    await setFloors({ 2: floor })
    const kept = (await logged()).filter((name) => name.startsWith('1:') || Number(name.slice(2)) >= floor)
    const seen = new Set<string>()
    let from = 1
    for (let isEnd = false; !isEnd; ) {
      const { events, nextPageEventId, nextPageToken } = await page(`from_event_id=${from}&pageSize=3`)
      for (const event of events) seen.add(nameOf(event))
      isEnd = nextPageToken === undefined
      from = nextPageEventId
    }
    expect([...seen].sort()).toEqual(kept.sort())
    const late = users.map((user) => user.cast('late, after retention', testNow))
    expect(await api.hub.submit(late)).toEqual(late.map(() => null))
    const written = (await logged()).slice(-late.length)
    expect((await page(`from_event_id=${from}`)).events.map(nameOf)).toEqual(expect.arrayContaining(written))
    expect(await walk(`from_event_id=${from}&pageSize=1`)).toEqual(expect.arrayContaining(written))
  })

  test('a walk by tokens in reverse, from a number that one shard no longer keeps -> every kept event', async () => {
    const floor = await cutoff()
    await setFloors({ 2: floor })
    const kept = (await logged()).filter((name) => name.startsWith('1:') || Number(name.slice(2)) >= floor)
    expect(await walk('reverse=true&from_event_id=1&pageSize=1')).toEqual(kept.reverse())
  })

  test('one shard, a token, or a number below the floors of all shards -> 410', async () => {
    await setFloors({ 2: await cutoff() })
    const token = Buffer.from(JSON.stringify([null, [9, 0, 0, 0, 0, 0, 0, 0, 1]])).toString('base64')
    const dropped = ['shard_index=2&from_event_id=1', `pageToken=${token}`]
    await Promise.all(dropped.map(expectDropped))
    await setFloors({ 1: 100 })
    await expectDropped('from_event_id=99')
    expect((await api.get('/v1/events?from_event_id=0')).status).toBe(200)
  })

  async function expectDropped(query: string): Promise<void> {
    const { status, body } = await api.get(`/v1/events?${query}`)
    expect([status, body.errCode], query).toEqual([410, 'not_found.event_dropped'])
  }
})

/** A token after the last event. */
async function endToken(): Promise<string> {
  const last = [1, 2].map(async (shard) => {
    const { events } = await page(`shard_index=${shard}&reverse=1&pageSize=1`)
    const key = Buffer.alloc(9, 9)
    key.writeBigUInt64BE(BigInt(events[0]!.id), 1)
    return [...key]
  })
  return Buffer.from(JSON.stringify(await Promise.all(last))).toString('base64')
}

describe('/v1/eventById', () => {
  test('returns the event', async () => {
    const { events } = await page('shard_index=2&pageSize=3')
    for (const event of events) {
      const { body } = await api.get(`/v1/eventById?event_id=${event.id}&shard_index=2`)
      expect(body).toEqual(event)
    }
  })

  test('several shards -> needs the shard; unknown id -> 404', async () => {
    const missing = await api.get('/v1/eventById?event_id=1')
    expect([missing.status, missing.body.property]).toEqual([400, 'shard_index'])
    const none = await api.get('/v1/eventById?event_id=1&shard_index=1')
    expect([none.status, none.body.error, none.body.details]).toEqual([
      404,
      'Failed to get event',
      'Event not found',
    ])
  })

  test('one shard -> needs no shard', async () => {
    const single = await openHubApi(db, { hub: api.hub, config: { shards: 1 } })
    const { events } = await page('shard_index=1&pageSize=1')
    const { body } = await single.get(`/v1/eventById?event_id=${events[0]!.id}`)
    expect(body).toEqual(events[0])
  })
})
