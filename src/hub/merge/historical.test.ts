import { beforeAll, expect, test } from 'vitest'
import { createTestDatabase } from '../../../test/database.js'
import { TestUser, testNow, testNowUnix } from '../../../test/network.js'
import { SignerEventType } from '../../protocol/definitions.js'
import type { SignedMessage } from '../../protocol/message.js'
import { ensurePartitions } from '../log/partitions.js'
import type { MergeBatch } from './batch.js'
import { mergeBatch } from './merge.js'

const { db } = await createTestDatabase()
const FOUR_YEARS_SECONDS = 4 * 365 * 86_400
const alice = new TestUser(1)
const bob = new TestUser(2)
const carol = new TestUser(3)

beforeAll(async () => {
  await ensurePartitions(db, testNowUnix * 1000)
  await db`insert into hub.shards (shard) values (1)`
  const longAgo = testNowUnix - FOUR_YEARS_SECONDS
  await merge({
    chainEvents: [
      ...alice.onChain(),
      alice.signerEvent(SignerEventType.REMOVE, 500),
      bob.registered(),
      bob.signerEvent(SignerEventType.ADD),
      bob.storageRentEvent(1, 202, longAgo),
      ...carol.onChain(),
    ],
  })
})

function merge(batch: Partial<MergeBatch>) {
  const whole = { messages: [], chainEvents: [], nameTransfers: [], ...batch }
  return mergeBatch(db, 1, whole, { shards: 1, hooks: [] }, testNowUnix * 1000)
}

/** Codes of refusals; null for merged messages. */
async function codes(messages: SignedMessage[], isAdmitted: boolean): Promise<(string | null)[]> {
  const { messages: outcomes } = await merge({ messages, historical: new Set(isAdmitted ? messages : []) })
  return outcomes.map((outcome) => outcome?.code ?? null)
}

test('a historical message of a removed signer merges; a new one is refused', async () => {
  const cast = alice.cast('signed while the key was good', testNow - 100)
  expect(await codes([cast], false)).toEqual(['bad_request.validation_failure'])
  expect(await codes([cast], true)).toEqual([null])
})

test('a historical message of a key that never was a signer -> invalid signer', async () => {
  const forged = new TestUser(1, 'another key').cast('hello', testNow)
  expect(await codes([forged], true)).toEqual(['bad_request.validation_failure'])
})

test('historical messages may use expired storage', async () => {
  const casts = Array.from({ length: 120 }, (_, n) => bob.cast(`${n}`, testNow - 1000 + n))
  expect(new Set(await codes(casts, false))).toEqual(new Set(['bad_request.validation_failure']))
  expect(new Set(await codes(casts, true))).toEqual(new Set([null]))
  const [row] = await db<
    { count: number }[]
  >`select count(*)::integer from hub.messages where fid = ${bob.fid}`
  expect(row?.count).toBe(120)
})

test('historical messages may not use storage that was never rented', async () => {
  const casts = Array.from({ length: 103 }, (_, n) => carol.cast(`${n}`, testNow - 1000 + n))
  const outcomes = await codes(casts, true)
  expect(outcomes.filter((code) => code === 'bad_request.prunable')).toHaveLength(3)
})

test('historical messages follow conflict resolution', async () => {
  const like = carol.react(alice.cast('target', testNow - 50), testNow - 10)
  const unlike = carol.react(alice.cast('target', testNow - 50), testNow - 5, { remove: true })
  expect(await codes([unlike], true)).toEqual([null])
  expect(await codes([like], true)).toEqual(['bad_request.conflict'])
  expect(await codes([unlike], true)).toEqual(['bad_request.duplicate'])
})
