import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createTestDatabase } from '../../../test/database.js'
import { TestUser, testNow, testNowUnix } from '../../../test/network.js'
import { FarcasterNetwork, StorageUnitType } from '../../protocol/definitions.js'
import type { SignedMessage } from '../../protocol/message.js'
import { ensurePartitions } from '../log/partitions.js'
import { mergeBatch } from './merge.js'

const { db } = await createTestDatabase()
const alice = new TestUser(1)
const bob = new TestUser(2)

beforeAll(() => ensurePartitions(db, testNowUnix * 1000))
beforeEach(async () => {
  await db.unsafe(`
    truncate hub.messages, hub.set_counts, hub.events, hub.onchain_events, hub.fids, hub.signers,
      hub.storage_rents, hub.storage_loans, hub.ended_loans, hub.shards;
    insert into hub.shards (shard) values (1);
  `)
  await merge({ chainEvents: [...alice.onChain({ units: 10 }), ...bob.onChain({ units: 10 })] })
})

async function merge(batch: Partial<Parameters<typeof mergeBatch>[2]>, atUnix = testNowUnix) {
  const whole = { messages: [], chainEvents: [], nameTransfers: [], ...batch }
  return await mergeBatch(
    db,
    1,
    whole,
    { shards: 1, hooks: [], network: FarcasterNetwork.TESTNET },
    atUnix * 1000,
  )
}

/** Merges a message of a client or of the log of an upstream. Returns the code of the refusal; null if merged. */
async function submit(message: SignedMessage): Promise<string | null> {
  return (await merge({ messages: [message] })).messages[0]?.code ?? null
}

/** Merges a message that another hub stores. */
async function copy(message: SignedMessage): Promise<string | null> {
  const { messages } = await merge({ messages: [message], historical: new Set([message]) })
  return messages[0]?.code ?? null
}

function loan(units: number, at: number, { lender = alice, toFid = 2 } = {}): SignedMessage {
  return lender.lendStorage(toFid, units, StorageUnitType.UNIT_TYPE_2025, at)
}

const lent = () => db`select from_fid, to_fid, units from hub.storage_loans order by from_fid, to_fid`
const storedLoans = () => db`select from hub.messages where set = 7`
const ended = () => db`select fid, ts from hub.ended_loans order by fid, ts`

describe('a loan that has ended', () => {
  test('is not revived by a copy of what another hub stored before', async () => {
    expect(await submit(loan(5, testNow - 9))).toBeNull()
    expect(await submit(loan(0, testNow - 8))).toBeNull()
    expect(await copy(loan(5, testNow - 9))).toBe('bad_request.conflict')
    expect([await lent(), await storedLoans()]).toEqual([[], []])
  })

  test('is not revived if its end arrives first, as beside a backfill', async () => {
    expect(await submit(loan(0, testNow - 8))).toBeNull()
    expect(await copy(loan(5, testNow - 9))).toBe('bad_request.conflict')
    expect(await lent()).toEqual([])
  })

  test('is not revived within the batch that ends it', async () => {
    const [old, end] = [loan(5, testNow - 9), loan(0, testNow - 8)]
    await submit(old)
    const { messages } = await merge({ messages: [end, old], historical: new Set([old]) })
    expect(messages).toMatchObject([null, { code: 'bad_request.duplicate' }])
    expect(await lent()).toEqual([])
    expect(await copy(end)).toBe('bad_request.duplicate')
  })

  test('remains ended if an older end of it comes again', async () => {
    for (const message of [loan(0, testNow - 5), loan(0, testNow - 8)])
      expect(await submit(message)).toBeNull()
    expect(await copy(loan(5, testNow - 6))).toBe('bad_request.conflict')
    expect(await ended()).toEqual([{ fid: 1, ts: testNow - 5 }])
  })

  test('can be followed by a later one of the pair, and says nothing about other pairs', async () => {
    await submit(loan(0, testNow - 8))
    for (const message of [
      loan(3, testNow - 7),
      loan(2, testNow - 9, { toFid: 3 }),
      loan(1, testNow - 9, { lender: bob, toFid: 1 }),
    ])
      expect(await copy(message)).toBeNull()
    expect(await lent()).toMatchObject([
      { from_fid: 1, to_fid: 2, units: 3 },
      { from_fid: 1, to_fid: 3, units: 2 },
      { from_fid: 2, to_fid: 1, units: 1 },
    ])
    expect(await ended()).toEqual([])
  })

  test('can be submitted again while its message is new, as on nodes of the network', async () => {
    await submit(loan(0, testNow - 8))
    expect(await submit(loan(5, testNow - 9))).toBeNull()
    expect(await lent()).toMatchObject([{ units: 5 }])
    expect(await ended()).toEqual([])
  })
})

test('a loan can be ended, and not changed, when the units of its lender have expired', async () => {
  await submit(loan(9, testNow - 9))
  const later = 3 * 365 * 86_400
  await ensurePartitions(db, (testNowUnix + later) * 1000)
  const outcomes = async (message: SignedMessage) =>
    (await merge({ messages: [message] }, testNowUnix + later)).messages
  expect(await outcomes(loan(8, testNow + later - 1))).toMatchObject([{ message: 'insufficient storage' }])
  expect(await lent()).toMatchObject([{ units: 9 }])
  expect(await outcomes(loan(0, testNow + later))).toEqual([null])
  expect([await lent(), await storedLoans()]).toEqual([[], []])
  expect(await copy(loan(9, testNow - 9))).toBe('bad_request.conflict')
})

test('of a lender, the 1,000 loans that ended last are remembered', async () => {
  await submit(loan(0, testNow, { lender: bob, toFid: 1 }))
  const ends = Array.from({ length: 1_003 }, (_, n) => loan(0, testNow - 2_000 + n, { toFid: 10 + n }))
  for (const messages of [ends.slice(0, 600), ends.slice(600)]) await merge({ messages })
  const [first] = await db`select min(ts) as ts, count(*)::integer from hub.ended_loans where fid = 1`
  expect(first).toEqual({ ts: testNow - 2_000 + 3, count: 1_000 })
  expect(await ended()).toContainEqual({ fid: 2, ts: testNow })
})
