import fc from 'fast-check'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { createTestDatabase } from '../../../test/database.js'
import { TestUser, testNow, testNowUnix } from '../../../test/network.js'
import { projectEvents } from '../../graph/project/project.js'
import { decodeStoredMessage } from '../../protocol/codec.js'
import type { SignedMessage } from '../../protocol/message.js'
import { seededRandom } from '../../protocol/testing/random.js'
import { ensurePartitions } from '../log/partitions.js'
import { mergeBatch } from './merge.js'
import { mergeLinkBatches, randomBatches, randomLinks, remainingLinks } from './testing/link-histories.js'
import { hashesOf } from './testing/stored-merges.js'

// Thousands of small transactions: seconds alone, a minute on a busy machine.
const { db } = await createTestDatabase()
const users = [1, 2, 3].map((fid) => new TestUser(fid))

/** Few seconds, few targets and two link types: every relation of two and three messages occurs. */
const author = fc.constantFrom(users[0]!, users[0]!, users[1]!)
const second = fc.integer({ min: testNow - 5, max: testNow })
const target = fc.integer({ min: 1, max: 3 })
const type = fc.constantFrom('follow', 'follow', 'block')
const link = fc
  .tuple(author, target, second, type, fc.boolean())
  .map((values) =>
    signedOnce(values, ([user, targetFid, at, linkType, remove]) =>
      user.link(targetFid, at, { type: linkType, remove }),
    ),
  )
const compactState = fc
  .tuple(author, fc.subarray([1, 2, 3], { minLength: 1 }), second, type)
  .map((values) =>
    signedOnce(values, ([user, targetFids, at, linkType]) => user.compactLinks(targetFids, at, linkType)),
  )
const messages = fc.uniqueArray(fc.oneof({ weight: 3, arbitrary: link }, compactState), {
  minLength: 10,
  maxLength: 30,
  selector: (message) => message.hash.toString('hex'),
})

/** Signs each message once: signing takes longer than merging. */
const signed = new Map<string, SignedMessage>()
function signedOnce<Values extends readonly [TestUser, ...unknown[]]>(
  values: Values,
  sign: (values: Values) => SignedMessage,
): SignedMessage {
  const name = JSON.stringify([values[0].fid, ...values.slice(1)])
  const message = signed.get(name) ?? sign(values)
  signed.set(name, message)
  return message
}

/** Any order with some messages twice, in batches of any size. */
const arrival = messages.chain((sent) =>
  fc
    .tuple(
      fc.shuffledSubarray(sent, { minLength: sent.length }),
      fc.subarray(sent),
      fc.array(fc.integer({ min: 1, max: 8 }), { minLength: 1, maxLength: 8 }),
    )
    .map(([shuffled, again, sizes]) => ({ sent, batches: cut([...shuffled, ...again], sizes) })),
)

function cut(sent: readonly SignedMessage[], sizes: readonly number[]): SignedMessage[][] {
  const rest = [...sent]
  const batches: SignedMessage[][] = []
  while (rest.length > 0) batches.push(rest.splice(0, sizes[batches.length % sizes.length]))
  return batches
}

beforeAll(() => ensurePartitions(db, testNowUnix * 1000))
beforeEach(reset)

async function reset(): Promise<void> {
  await db.unsafe(`
    delete from hub.messages; delete from hub.set_counts; delete from hub.events; delete from hub.link_cutoffs;
    delete from hub.onchain_events; delete from hub.fids; delete from hub.signers; delete from hub.storage_rents;
    delete from hub.shards; delete from social.follows; delete from social.blocks; delete from social.user_counts;
    insert into hub.shards (shard) values (1);
  `)
  const chainEvents = users.flatMap((user) => user.onChain({ units: 10 }))
  await merge({ messages: [], chainEvents })
}

async function merge(batch: Partial<Parameters<typeof mergeBatch>[2]>) {
  const whole = { messages: [], chainEvents: [], nameTransfers: [], ...batch }
  return await mergeBatch(db, 1, whole, { shards: 1, hooks: [projectEvents] }, testNowUnix * 1000)
}

async function stored(): Promise<string[]> {
  const rows = await db<{ message: Buffer }[]>`select message from hub.messages`
  return hashesOf(rows.map(({ message }) => decodeStoredMessage(message)))
}

/** The rows of the read model's follows or blocks. */
async function edges(table: 'follows' | 'blocks'): Promise<string[]> {
  const rows = await db<{ fid: number; target_fid: number; ts: number }[]>`
    select fid, target_fid, ts from ${db(`social.${table}`)}
  `
  return rows.map(({ fid, target_fid, ts }) => `${fid} ${target_fid} ${ts}`).sort()
}

function edgesOf(links: readonly SignedMessage[], linkType: string): string[] {
  return links
    .filter(({ data }) => data.type === 5 && data.linkBody!.type === linkType)
    .map(({ data }) => `${data.fid} ${data.linkBody!.targetFid} ${data.timestamp}`)
    .sort()
}

test('links and compact states in any order and any batches -> the state of the definition', () => {
  fc.assert(
    fc.property(arrival, ({ sent, batches }) => {
      expect(hashesOf(mergeLinkBatches(batches))).toEqual(hashesOf(remainingLinks(sent)))
    }),
    { numRuns: 1000 },
  )
})

test('the same in the database, with the same follows and blocks in the read model', async () => {
  await fc.assert(
    fc.asyncProperty(arrival, async ({ sent, batches }) => {
      await reset()
      for (const batch of batches) await merge({ messages: batch })
      const remaining = remainingLinks(sent)
      expect(await stored()).toEqual(hashesOf(remaining))
      expect(await edges('follows')).toEqual(edgesOf(remaining, 'follow'))
      expect(await edges('blocks')).toEqual(edgesOf(remaining, 'block'))
    }),
    { numRuns: 60 },
  )
})

test('5,000 links and compact states in 20 orders -> one state', () => {
  const random = seededRandom(15)
  const sent = randomLinks(random, 5000)
  const states = new Set<string>()
  for (let order = 0; order < 20; order += 1) {
    states.add(hashesOf(mergeLinkBatches(randomBatches(random, sent, 500))).join())
  }
  expect(states.size).toBe(1)
  expect([...states]).toEqual([hashesOf(remainingLinks(sent)).join()])
})

/** `LINK_MESSAGES=5000 LINK_ORDERS=20` merges as many in the database as the test above in memory. */
const { LINK_MESSAGES = '1000', LINK_ORDERS = '3' } = process.env

test('the same in the database, from orders of its own', async () => {
  const random = seededRandom(16)
  const sent = randomLinks(random, Number(LINK_MESSAGES))
  const states = new Set<string>()
  for (let order = 0; order < Number(LINK_ORDERS); order += 1) {
    await reset()
    for (const batch of randomBatches(random, sent, 500)) await merge({ messages: batch })
    states.add((await stored()).join())
  }
  expect([...states]).toEqual([hashesOf(remainingLinks(sent)).join()])
})
