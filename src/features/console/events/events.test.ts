import { describe, expect, it } from 'vitest'
import { createTestDatabase } from '../../../../test/database.js'
import { createTestHub } from '../../../../test/hub.js'
import { nameTransfer, TestUser, testNow, testNowUnix } from '../../../../test/network.js'
import { createTestApi } from '../../../app/testing/test-api.js'
import { ensurePartitions } from '../../../hub/log/partitions.js'
import { eventFilterOf, readEndPosition, readEventsBackwards, shardsOf } from './event-log.js'

const adminToken = 'the-admin-token-of-the-tests-0123456789'
const { db } = await createTestDatabase()
await ensurePartitions(db, testNowUnix * 1000)
const hub = await createTestHub(db)
const { app } = await createTestApi({ db, adminToken })
const user = new TestUser(7)
await hub.submitOnChainEvents(user.onChain())
await hub.submitNameTransfers([nameTransfer('alice', 7, 100)])
const casts = ['one', 'two', 'three'].map((text) => user.cast(text, testNow))
expect(await hub.submit(casts)).toEqual([null, null, null])

async function ask(path: string) {
  const headers = { authorization: `Bearer ${adminToken}` }
  const response = await app.inject({ url: `/admin/${path}`, headers })
  return { status: response.statusCode, body: response.json() }
}

interface Row {
  readonly id: string
  readonly type: string
  readonly message_type: string | null
  readonly summary: string
}

async function pages(query: string): Promise<Row[]> {
  const events: Row[] = []
  let cursor: string | null = null
  do {
    const { status, body } = await ask(`events?${query}${cursor === null ? '' : `&cursor=${cursor}`}`)
    expect(status).toBe(200)
    events.push(...body.events)
    cursor = body.next.cursor
  } while (cursor !== null)
  return events
}

describe('the list of events', () => {
  it('has every event once, newest first, for any page size', async () => {
    const all = await pages('limit=1000')
    expect(all.map(({ id }) => Number(id.split(':')[1]))).toEqual(
      all.map(({ id }) => Number(id.split(':')[1])).sort((a, b) => b - a),
    )
    for (const limit of [1, 2, 5]) expect(await pages(`limit=${limit}`)).toEqual(all)
    const ofCasts = all.filter(({ message_type: type }) => type === 'CAST_ADD')
    expect(ofCasts.map(({ summary }) => summary).sort()).toEqual(['one', 'three', 'two'])
    expect(ofCasts[0]).toMatchObject({
      fid: 7,
      shard: 1,
      type: 'MERGE_MESSAGE',
      at: expect.stringMatching(/Z$/),
    })
    expect(all.map(({ summary }) => summary)).toEqual(expect.arrayContaining(['alice', 'EVENT_TYPE_SIGNER']))
  })

  it('has filters', async () => {
    const types = new Set(
      (await pages('limit=2&types=MERGE_ON_CHAIN_EVENT,BLOCK_CONFIRMED')).map(({ type }) => type),
    )
    expect([...types].sort()).toEqual(['BLOCK_CONFIRMED', 'MERGE_ON_CHAIN_EVENT'])
    expect(await pages('fid=8')).toEqual([])
    expect((await pages('fid=7&limit=3&shard=1&types=MERGE_MESSAGE')).length).toBe(3)
    for (const query of ['fid=7', 'types=MERGE_MESSAGE', 'fid=7&types=MERGE_ON_CHAIN_EVENT']) {
      const all = await pages(`${query}&limit=1000`)
      for (const limit of [1, 2, 5]) expect(await pages(`${query}&limit=${limit}`)).toEqual(all)
    }
    for (const query of ['types=OTHER', 'shard=2', 'fid=0', 'limit=1001', 'cursor=x']) {
      expect((await ask(`events?${query}`)).status).toBe(400)
    }
  })

  it('takes few statements for a page of few events among many others', async () => {
    const statements: string[] = []
    const { db: counted } = await createTestDatabase({ onStatement: (sql) => statements.push(sql) })
    await ensurePartitions(counted, testNowUnix * 1000)
    const others = await createTestHub(counted)
    await others.submitOnChainEvents(user.onChain())
    await others.submit(Array.from({ length: 300 }, (_, index) => user.cast(`cast ${index}`, testNow)))
    const filter = eventFilterOf({ fid: 8 })
    statements.length = 0
    const { ends } = await readEndPosition(counted, await shardsOf(counted, {}))
    expect(await readEventsBackwards(counted, ends, { limit: 1, filter })).toEqual({
      events: [],
      remaining: null,
    })
    expect(statements.length).toBeLessThan(6)
  })
})

describe('an event', () => {
  it('has all fields, and its message is checked again', async () => {
    const [newest] = await pages('types=MERGE_MESSAGE&limit=1')
    const { body } = await ask(`events/${newest!.id}`)
    expect(body).toMatchObject({
      event: newest,
      decoded: { type: 'HUB_EVENT_TYPE_MERGE_MESSAGE', mergeMessageBody: { message: { data: { fid: 7 } } } },
      check: {
        hash_is_valid: true,
        signature_is_valid: true,
        problem: null,
        signer: `0x${user.key.publicKey.toString('hex')}`,
        signer_state: 'active',
      },
    })
  })

  it('with a removed key or damaged bytes is found out', async () => {
    const [newest] = await pages('types=MERGE_MESSAGE&limit=1')
    await db`update hub.signers set active = false`
    expect((await ask(`events/${newest!.id}`)).body.check).toMatchObject({ signer_state: 'removed' })
    const text = newest!.summary
    await db`
      update hub.events
      set event = overlay(event placing ${Buffer.from('X'.repeat(text.length))} from position(${Buffer.from(text)}::bytea in event))
      where id = ${Number(newest!.id.split(':')[1])}
    `
    expect((await ask(`events/${newest!.id}`)).body.check).toMatchObject({
      hash_is_valid: false,
      signature_is_valid: true,
      problem: 'invalid hash',
    })
  })

  it('without a message has nothing to check', async () => {
    const [block] = await pages('types=BLOCK_CONFIRMED&limit=1')
    expect((await ask(`events/${block!.id}`)).body).toMatchObject({ check: null, event: block })
  })

  it('that does not exist -> 404, and no event -> 400', async () => {
    expect((await ask('events/1:99999999')).status).toBe(404)
    expect((await ask('events/99999:1')).status).toBe(404)
    for (const id of ['1', '1:x', '1:-1']) expect((await ask(`events/${id}`)).status).toBe(400)
  })
})
