import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { createTestDatabase } from '../../../test/database.js'
import { TestUser, testKey, testNowUnix } from '../../../test/network.js'
import { ensurePartitions } from '../../hub/log/partitions.js'
import { mergeBatch } from '../../hub/merge/merge.js'
import {
  IdRegisterEventType,
  type OnChainEvent,
  OnChainEventType,
  SignerEventType,
} from '../../protocol/definitions.js'
import { projectEvents } from './project.js'
import { lineOf, linesOf } from './testing/batches.js'

const { db } = await createTestDatabase()
const hubTables = ['events', 'onchain_events', 'fids', 'signers', 'storage_rents']
const daySeconds = 86_400

beforeAll(async () => {
  await ensurePartitions(db, testNowUnix * 1000)
  await db`insert into hub.shards (shard) values (1)`
})

/** What can happen to a user, one event per block. Keys are requested by an app or by nobody. */
const step = fc.oneof(
  fc.constantFrom('registered', 'moved', 'pro', 'rented').map((eventKind) => ({ eventKind }) as const),
  fc.record({
    eventKind: fc.constant('key' as const),
    key: fc.constantFrom('one', 'two'),
    app: fc.constantFrom(0, 77, 78),
    type: fc.constantFrom(SignerEventType.ADD, SignerEventType.ADD, SignerEventType.REMOVE),
  }),
)
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

function applyStep(user: TestUser, one: Step, block: number): OnChainEvent {
  const at = testNowUnix - 1000 + block
  if (one.eventKind === 'pro') return user.proPurchaseEvent(30, block, at)
  if (one.eventKind === 'rented') return user.storageRentEvent(1, block)
  if (one.eventKind === 'key') {
    const event = user.signerEvent(one.type, block, testKey(one.key).publicKey)
    return { ...event, signerEventBody: { ...event.signerEventBody!, metadata: requestOf(one.app) } }
  }
  return user.chainEvent(
    OnChainEventType.EVENT_TYPE_ID_REGISTER,
    block,
    {
      idRegisterEventBody: {
        to: Buffer.alloc(20, block),
        eventType: one.eventKind === 'moved' ? IdRegisterEventType.TRANSFER : IdRegisterEventType.REGISTER,
        from: Buffer.alloc(0),
        recoveryAddress: Buffer.alloc(0),
      },
    },
    at,
  )
}

/** The start of a signed key request: its offset and the fid of the app. */
function requestOf(fid: number): Buffer {
  return Buffer.concat([32, fid].map((word) => Buffer.from(word.toString(16).padStart(64, '0'), 'hex')))
}

const history = fc
  .array(fc.tuple(fc.constantFrom(1, 2), step), { minLength: 1, maxLength: 12 })
  .map((steps) => steps.map(([fid, one], n) => applyStep(new TestUser(fid), one, 100 + n)))

const arrivals = history.chain((events) =>
  fc.tuple(
    fc.shuffledSubarray(events, { minLength: events.length }),
    fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 4 }),
  ),
)

test('users and apps of keys do not depend on the order of on-chain events', async () => {
  await fc.assert(
    fc.asyncProperty(arrivals, async ([events, sizes]) => {
      await db.unsafe(
        [...hubTables.map((table) => `hub.${table}`), 'social.users', 'social.signer_apps']
          .map((table) => `delete from ${table}`)
          .join(';'),
      )
      for (let start = 0, n = 0; start < events.length; n += 1) {
        const end = start + sizes[n % sizes.length]!
        const chainEvents = events.slice(start, end)
        const batch = { messages: [], chainEvents, nameTransfers: [] }
        await mergeBatch(db, 1, batch, { shards: 1, hooks: [projectEvents] }, testNowUnix * 1000)
        const known = events.slice(0, end).sort((a, b) => a.blockNumber - b.blockNumber)
        expect(await readChainTables()).toEqual(expected(known))
        start = end
      }
    }),
    { numRuns: 40 },
  )
})

async function readChainTables() {
  const { users, signer_apps } = await linesOf(db, ['users', 'signer_apps'])
  const chainColumns = ['fid', 'custody_address', 'registered_at', 'pro_since', 'pro_until']
  const rows = users!.map((line) => Object.fromEntries(JSON.parse(line)) as Record<string, unknown>)
  return {
    users: rows
      .map((row) => lineOf(Object.fromEntries(chainColumns.map((name) => [name, row[name]]))))
      .sort(),
    signer_apps,
  }
}

/** The expected rows, by definition, from the known events in the order of the chain. */
function expected(known: readonly OnChainEvent[]) {
  const users: object[] = []
  const apps: object[] = []
  for (const fid of [1, 2]) {
    const userEvents = known.filter((event) => event.fid === fid)
    const ids = userEvents.filter(({ idRegisterEventBody }) => idRegisterEventBody)
    if (ids.length === 0) continue
    const proPurchases = userEvents.filter(({ tierPurchaseEventBody }) => tierPurchaseEventBody)
    users.push({
      fid,
      custody_address: ids.at(-1)!.idRegisterEventBody!.to,
      registered_at: ids[0]!.blockTimestamp,
      pro_since: proPurchases.at(-1)?.blockTimestamp ?? null,
      pro_until: proPurchases[0] ? proPurchases[0].blockTimestamp + proPurchases.length * 30 * daySeconds : 0,
    })
    for (const name of ['one', 'two']) {
      const key = testKey(name).publicKey
      const added = userEvents.findLast(
        ({ signerEventBody: body }) =>
          body?.eventType === SignerEventType.ADD && key.equals(Buffer.from(body.key)),
      )
      const app = added ? Buffer.from(added.signerEventBody!.metadata).readUInt8(63) : 0
      if (app > 0) apps.push({ fid, key, app_fid: app })
    }
  }
  return { users: users.map(lineOf).sort(), signer_apps: apps.map(lineOf).sort() }
}
