import { describe, expect, it } from 'vitest'
import { createTestDatabase } from '../../../../test/database.js'
import { testNowUnix } from '../../../../test/network.js'
import { cursorKind, keyPart } from '../../../api/cursor.js'
import { createTestApi } from '../../../app/testing/test-api.js'
import { ensurePartitions } from '../../../hub/log/partitions.js'
import { HubEventType } from '../../../protocol/definitions.js'
import { eventFilterOf, shardsOf } from './event-log.js'

const adminToken = 'the-admin-token-of-the-tests-0123456789'
const { db } = await createTestDatabase()
await ensurePartitions(db, testNowUnix * 1000)
await db`insert into hub.shards (shard) values (0), (1), (2), (32767) on conflict do nothing`
const { app } = await createTestApi({ db, adminToken })

async function ask(path: string) {
  const headers = { authorization: `Bearer ${adminToken}` }
  const response = await app.inject({ url: `/admin/${path}`, headers })
  return { status: response.statusCode, body: response.json() }
}

/** Events without a body: in both shards, those of the second with every third id. */
await db`
  insert into hub.events (day, shard, id, type, fid, event)
  select '2026-11-01', shard, id, case when id % 5 = 0 then 2 else 1 end, id % 4, ''
  from generate_series(1, 30) as id, unnest('{1,2}'::smallint[]) as shard
  where shard = 1 or id % 3 = 0
`
const ids = Array.from({ length: 30 }, (_, index) => 30 - index)
/** Newest first; of equal ids the higher shard is first. */
const all = ids.flatMap((id) => [...(id % 3 === 0 ? [{ shard: 2, id }] : []), { shard: 1, id }])
const textOf = (events: typeof all) => events.map(({ shard, id }) => `${shard}:${id}`)

/** The ids on all pages. */
async function pages(query: string, limit: number): Promise<string[]> {
  const found: string[] = []
  let next = ''
  for (let page = 0; page < 100; page += 1) {
    const { status, body } = await ask(`events?${query}&limit=${limit}${next}`)
    expect(status).toBe(200)
    expect(body.events.length).toBeLessThanOrEqual(limit)
    found.push(...body.events.map(({ id }: { id: string }) => id))
    if (body.next.cursor === null) return found
    next = `&cursor=${body.next.cursor}`
  }
  return expect.fail('the pages have no end')
}

describe('pages of the list of events', () => {
  it.each([1, 2, 3, 7, 40, 41])('of %i have every event of all shards once, newest first', async (limit) => {
    expect(await pages('', limit)).toEqual(textOf(all))
  })

  it.each<[string, (event: { shard: number; id: number }) => boolean]>([
    ['shard=2', ({ shard }) => shard === 2],
    ['fid=3', ({ id }) => id % 4 === 3],
    ['types=PRUNE_MESSAGE', ({ id }) => id % 5 === 0],
    ['types=PRUNE_MESSAGE,MERGE_MESSAGE', () => true],
    ['types=PRUNE_MESSAGE&fid=1&shard=1', ({ shard, id }) => shard === 1 && id % 20 === 5],
  ])('have what %s asks for', async (query, isWanted) => {
    for (const limit of [1, 2, 3, 50]) {
      expect(await pages(query, limit)).toEqual(textOf(all.filter(isWanted)))
    }
  })

  it('read no more than 20,000 events for one request, and say where they stopped', async () => {
    await db`
      insert into hub.events (day, shard, id, type, event)
      select '2026-11-01', 1, id, 1, '' from generate_series(101, 20200) as id
    `
    const first = await ask('events?types=PRUNE_MESSAGE&limit=5')
    expect(first.body).toMatchObject({ events: [], next: { cursor: expect.any(String) } })
    expect(
      (await ask(`events?types=PRUNE_MESSAGE&limit=5&cursor=${first.body.next.cursor}`)).body,
    ).toMatchObject({
      events: [{ id: '2:30' }, { id: '1:30' }, { id: '1:25' }, { id: '1:20' }, { id: '2:15' }],
    })
    await db`delete from hub.events where id > 100`
  })
})

describe('a cursor', () => {
  const { encode } = cursorKind('events backwards', keyPart.text)

  it.each(['1:5', '1:5,2:7', '2:9007199254740991'])('of %s is one of this list', async (text) => {
    expect((await ask(`events?cursor=${encode([text])}`)).status).toBe(200)
  })

  it.each([
    ['a shard that the hub does not have', '3:5', ''],
    ['a shard twice', '1:5,1:6', ''],
    ['another shard than the one that is asked for', '2:5', '&shard=1'],
    ['text before', 'x1:5', ''],
    ['text behind', '1:5x', ''],
    ['a part that is none', '1:5,2', ''],
    ['an id of 17 digits', '1:12345678901234567', ''],
    ['nothing', '', ''],
  ])('with %s -> 400', async (_what, text, more) => {
    const { status, body } = await ask(`events?cursor=${encode([text])}${more}`)
    expect([status, body]).toEqual([
      400,
      expect.objectContaining({ property: 'cursor', message: 'cursor is not a cursor of this list' }),
    ])
  })
})

describe('a query', () => {
  it('without type and user has no filter', () => {
    expect(eventFilterOf({})).toBeNull()
    expect(eventFilterOf({ shard: 1 })).toBeNull()
    expect(eventFilterOf({ fid: 7 })).toEqual({ fids: [7], types: null })
    const types = [HubEventType.MERGE_MESSAGE, HubEventType.PRUNE_MESSAGE]
    expect(eventFilterOf({ types: 'MERGE_MESSAGE,PRUNE_MESSAGE' })).toEqual({ fids: null, types })
  })

  it('reads all shards of users, or the one that it names', async () => {
    expect(await shardsOf(db, {})).toEqual([1, 2, 32_767])
    expect(await shardsOf(db, { shard: 2 })).toEqual([2])
  })

  it.each([
    ['types=MERGE_MESSAGE,X', 'types', 'types has X, which is no type of events'],
    ['shard=9', 'shard', 'there is no shard 9'],
    ['shard=-1', 'shard', expect.stringContaining('shard')],
    ['shard=32768', 'shard', expect.stringContaining('32767')],
    ['fid=0', 'fid', expect.stringContaining('fid')],
    [`types=${'x'.repeat(401)}`, 'types', expect.stringContaining('400')],
  ])('%s -> 400', async (query, property, message) => {
    const { status, body } = await ask(`events?${query}`)
    expect([status, body]).toEqual([400, expect.objectContaining({ property, message })])
  })
})

it('an event of the last shard is found, and the next number is none', async () => {
  await db`insert into hub.events (day, shard, id, type, event) values ('2026-11-01', 32767, 4, 1, '')`
  const { status, body } = await ask('events/32767:4')
  expect([status, body]).toEqual([
    200,
    {
      event: expect.objectContaining({ id: '32767:4', shard: 32_767 }),
      decoded: expect.objectContaining({ type: 'HUB_EVENT_TYPE_MERGE_MESSAGE', id: 4 }),
      bytes: 0,
      check: null,
    },
  ])
  expect(await ask('events/32768:4')).toEqual({
    status: 404,
    body: expect.objectContaining({ property: 'id', message: 'the log has no event 32768:4' }),
  })
})

it('an id above 2^53 is that of no event, also not of its neighbor', async () => {
  await db`insert into hub.events (day, shard, id, type, event) values ('2026-11-01', 2, 9007199254740992, 1, '')`
  expect((await ask('events/2:9007199254740993')).status).toBe(404)
  await db`delete from hub.events where id > 9007199254740991`
})

it('pages of 64 shards have every event once', async () => {
  await db`insert into hub.shards (shard) select generate_series(3, 64)`
  const large = 2 ** 45
  await db`
    insert into hub.events (day, shard, id, type, event)
    select '2026-11-01', shard, ${large}::bigint + id, 1, '' from generate_series(1, 64) as shard, generate_series(1, 2) as id
  `
  const shards = Array.from({ length: 64 }, (_, index) => 64 - index)
  const ofShards = [2, 1].flatMap((id) => shards.map((shard) => ({ shard, id: large + id })))
  expect((await pages('', 7)).slice(0, ofShards.length)).toEqual(textOf(ofShards))
  await db`delete from hub.events where id > ${large}::bigint`
  await db`delete from hub.shards where shard between 3 and 64`
})

it('an event whose bytes are damaged has its place, and nothing to check', async () => {
  await db`insert into hub.events (day, shard, id, type, event) values ('2026-11-01', 2, 500, 1, '\\xff')`
  expect((await ask('events/2:500')).body).toMatchObject({
    event: { id: '2:500', summary: 'cannot be decoded' },
    bytes: 1,
    check: null,
  })
})
