import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { createTestDatabase } from '../../test/database.js'
import { nameTransfer, TestUser, testKey, testNow, testNowUnix } from '../../test/network.js'
import type { Database } from '../platform/db/connection.js'
import {
  FarcasterNetwork,
  HubEventType,
  MessageData,
  MessageType,
  SignerEventType,
  type UserNameType,
} from '../protocol/definitions.js'
import { shardOf } from '../protocol/shard.js'
import { ethVerification } from '../protocol/testing/sample-claims.js'
import { createVerifyPool, type VerifyPool } from '../protocol/verify-pool.js'
import { createHub, type HubOptions } from './create-hub.js'
import { SubmissionOrder } from './hub.js'

const { db, connect } = await createTestDatabase()
const verifyPool = createVerifyPool({ threads: 0 })
const users = [1, 2, 3, 4, 5, 6].map((fid) => new TestUser(fid))

function open(options: Partial<HubOptions> = {}, on: Database = db) {
  const network = FarcasterNetwork.DEVNET
  return createHub({ db: on, network, shards: 2, verifyPool, clock: () => testNowUnix * 1000, ...options })
}

test('submitted messages are durable when the answer comes, and answers are in their order', async () => {
  const hub = await open()
  await hub.submitOnChainEvents(users.flatMap((user) => user.onChain({ units: 100 })))
  const casts = users.map((user) => user.cast('hello', testNow))
  const stranger = new TestUser(99).cast('who am I', testNow)
  const forged = { ...users[0]!.cast('forged', testNow), signature: Buffer.alloc(64, 1) }
  const future = users[1]!.cast('tomorrow', testNow + 86_400)
  const outcomes = await hub.submit([forged, ...casts, stranger, future])
  expect(outcomes.map((outcome) => outcome?.code ?? null)).toEqual([
    'bad_request.validation_failure',
    ...casts.map(() => null),
    'bad_request.validation_failure',
    'bad_request.validation_failure',
  ])
  const rows = await db<{ hash: Buffer }[]>`select hash from hub.messages`
  expect(rows.map((row) => row.hash.toString('hex')).sort()).toEqual(
    casts.map((cast) => cast.hash.toString('hex')).sort(),
  )
  await hub.close()
})

test('C.16 messages of unknown networks are refused, those of others only on mainnet', async () => {
  const hub = await open()
  const sign = (network: number) =>
    users[0]!.key.sign(MessageData.fromPartial({ ...users[0]!.cast('network', testNow).data, network }))
  const outcomes = await hub.submit([sign(0), sign(4), sign(FarcasterNetwork.MAINNET)])
  const refusal = { code: 'bad_request.validation_failure', message: 'invalid network' }
  expect(outcomes).toEqual([refusal, refusal, null])
  await hub.close()
})

test('on-chain events and names that the database cannot store are refused, and those beside them merge', async () => {
  const hub = await open()
  const user = new TestUser(31)
  const [event] = user.onChain()
  const signer = user.signerEvent(SignerEventType.ADD, 40_000)
  const rent = user.storageRentEvent(1, 40_001)
  const huge = 2 ** 31
  const unstorable = [
    { ...event!, logIndex: huge },
    { ...event!, txIndex: huge },
    { ...event!, type: 40_000 },
    { ...event!, blockTimestamp: 8_639_999_000_000 },
    { ...event!, idRegisterEventBody: { ...event!.idRegisterEventBody!, to: randomBytes(9_000) } },
    { ...signer, signerEventBody: { ...signer.signerEventBody!, keyType: huge } },
    { ...signer, signerEventBody: { ...signer.signerEventBody!, key: randomBytes(9_000) } },
    { ...rent, storageRentEventBody: { ...rent.storageRentEventBody!, units: huge } },
  ]
  const refused = { code: 'bad_request.validation_failure' }
  const events = await hub.submitOnChainEvents([...unstorable, ...user.onChain()])
  expect(events).toMatchObject([...unstorable.map(() => refused), ...user.onChain().map(() => null)])
  const proof = nameTransfer('storable', user.fid, testNowUnix)
  const proofs = await hub.submitNameTransfers([
    proof,
    { ...proof, name: Buffer.from('zero\0') },
    { ...proof, name: Buffer.from('zero\0'), fid: 0 },
    { ...proof, name: Buffer.from('näme') },
    { ...proof, name: Buffer.from(randomBytes(4_000).toString('hex')) },
    { ...proof, name: Buffer.from('type'), type: 40_000 as UserNameType },
  ])
  expect(proofs).toMatchObject([null, refused, refused, refused, refused, refused])
  await hub.close()
})

test('a hub whose log has no partition for today makes it again, whatever the language of the server', async () => {
  const { db: own } = await createTestDatabase()
  const hub = await open({}, own)
  const user = new TestUser(32)
  const partitions = await own<{ name: string }[]>`
    select inhrelid::regclass::text as name from pg_inherits where inhparent = 'hub.events'::regclass`
  for (const { name } of partitions) await own`drop table ${own.unsafe(name)}`
  expect(await hub.submitOnChainEvents(user.onChain())).toEqual(user.onChain().map(() => null))
  expect((await own`select id from hub.events`).length).toBeGreaterThan(user.onChain().length)
  await hub.close()
})

test('storage that is lent counts for what is submitted right behind the loan', async () => {
  const hub = await open({ shards: 2 })
  const lender = new TestUser(21)
  const borrower = new TestUser([22, 23, 24, 25, 26].find((fid) => shardOf(fid, 2) === shardOf(21, 2))!)
  const withoutStorage = [borrower.registered(), borrower.signerEvent(SignerEventType.ADD)]
  await hub.submitOnChainEvents([...lender.onChain({ units: 100 }), ...withoutStorage])
  const outcomes = await Promise.all([
    hub.submit([lender.lendStorage(borrower.fid, 5, 2, testNow)]),
    hub.submit([borrower.cast('borrowed', testNow + 1)]),
  ])
  expect(outcomes).toEqual([[null], [null]])
  await hub.close()
})

test('submissions of one order are merged in it, however long each is verified', async () => {
  const target = users[1]!.cast('liked', testNow)
  const slow = users[0]!.react(target, testNow)
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  const waiting: VerifyPool = {
    ...verifyPool,
    verify: async (messages, ...rest) => {
      if (messages.includes(slow)) await released
      return await verifyPool.verify(messages, ...rest)
    },
  }
  const hub = await open({ verifyPool: waiting })
  const order = new SubmissionOrder()
  const first = hub.submit([slow], { order })
  const removal = users[0]!.react(target, testNow + 1, { remove: true })
  const second = hub.submit([removal], { order })
  // A submission of its own order waits for nobody.
  expect(await hub.submit([users[0]!.cast('meanwhile', testNow)])).toEqual([null])
  release()
  expect(await Promise.all([first, second])).toEqual([[null], [null]])
  await hub.close()
})

test('a frame action is validated and not stored', async () => {
  const hub = await open()
  const frameActionBody = {
    url: Buffer.from('https://example.com'),
    buttonIndex: 1,
    castId: undefined,
    inputText: Buffer.alloc(0),
    state: Buffer.alloc(0),
    transactionId: Buffer.alloc(0),
    address: Buffer.alloc(0),
  }
  const before = await db`select 1 from hub.events`
  const action = users[0]!.message({ type: MessageType.FRAME_ACTION, frameActionBody }, testNow)
  expect(await hub.submit([action])).toMatchObject([{ message: 'invalid message type' }])
  expect(await hub.checkUnstored(action)).toBeNull()
  const forged = testKey('nobody').sign(action.data)
  expect((await hub.checkUnstored(forged))?.message).toBe('invalid signer')
  expect((await hub.checkUnstored({ ...action, hash: Buffer.alloc(20) }))?.message).toBe('invalid hash')
  expect(await db`select 1 from hub.events`).toHaveLength(before.length)
  await hub.close()
})

test('every message is in the log of its fid’s shard only', async () => {
  const rows = await db<
    { shard: number; fid: number }[]
  >`select shard, fid from hub.events where fid is not null`
  expect(rows.length).toBeGreaterThan(6)
  for (const { shard, fid } of rows) expect(shard).toBe(shardOf(fid, 2))
})

test('two hubs on one database -> no id twice, and none below one that was read', async () => {
  const [left, right] = await Promise.all([open(), open({}, connect())])
  const casts = Array.from({ length: 400 }, (_, n) => users[n % users.length]!.cast(`cast ${n}`, testNow - n))
  let done = false
  const reading = follow(connect(), () => done)
  const halves = casts.map((cast, n) => (n % 2 === 0 ? left : right).submit([cast]))
  const outcomes = (await Promise.all(halves)).flat()
  done = true
  expect(outcomes.every((outcome) => outcome === null)).toBe(true)
  const seen = await reading
  for (const shard of [1, 2]) {
    const rows = await db<{ id: number }[]>`select id from hub.events where shard = ${shard} order by id`
    expect(seen.get(shard)).toEqual(rows.map((row) => row.id))
  }
  await Promise.all([left.close(), right.close()])
})

/** Reads each shard's log by the last id, until it is stopped, and then once more. */
async function follow(reader: Database, isDone: () => boolean): Promise<Map<number, number[]>> {
  const seen = new Map<number, number[]>([
    [1, []],
    [2, []],
  ])
  for (let last = false; ; last = isDone()) {
    for (const [shard, ids] of seen) {
      const rows = await reader<{ id: number }[]>`
        select id from hub.events where shard = ${shard} and id > ${ids.at(-1) ?? 0} order by id
      `
      ids.push(...rows.map((row) => row.id))
    }
    if (last) return seen
  }
}

test('a database belongs to one network and number of shards', async () => {
  await expect(open({ shards: 3 })).rejects.toThrow(
    'HUB_SHARDS: this database was created with 2, not 3: set it back, or use another database',
  )
  await expect(open({ network: FarcasterNetwork.MAINNET })).rejects.toThrow(
    'HUB_NETWORK: this database was created with devnet, not mainnet: set it back, or use another database',
  )
})

test('closing finishes what was submitted, and refuses more', async () => {
  const hub = await open()
  const cast = users[0]!.cast('the last one', testNow)
  const submitted = hub.submit([cast])
  await hub.close()
  expect(await Promise.race([submitted, 'not yet'])).toEqual([null])
  await expect(hub.submit([cast])).rejects.toMatchObject({ code: 'unavailable' })
})

test('outcomes are counted by type', async () => {
  const counted: [number, string][] = []
  const hub = await open({ onOutcome: (type, outcome) => counted.push([type, outcome]) })
  const cast = users[0]!.cast('counted', testNow)
  await hub.submit([cast, cast])
  expect(counted).toEqual([
    [MessageType.CAST_ADD, 'merged'],
    [MessageType.CAST_ADD, 'bad_request.duplicate'],
  ])
  await hub.close()
})

test('the log confirms every block once, with its number of events', async () => {
  const rows = await db<{ shard: number; height: number; total: number; confirmations: number }[]>`
    select shard, id >> 14 as height, count(*) as total,
      count(*) filter (where type = ${HubEventType.BLOCK_CONFIRMED}) as confirmations
    from hub.events
    group by 1, 2
  `
  expect(rows.every((row) => row.confirmations === 1 && row.total > 1)).toBe(true)
})

test('onCommitted gets committed events before the answer, and nothing else', async () => {
  const notified: string[] = []
  const hub = await open({
    onCommitted: (events) => {
      for (const { body } of events) if ('message' in body) notified.push(body.message.hash.toString('hex'))
    },
    mergeHooks: [
      async (_db, events) => {
        const isRefused = ({ body }: (typeof events)[number]) =>
          'message' in body && body.message.data.castAddBody?.text === 'not this'
        if (events.some(isRefused)) throw new Error('not this')
      },
    ],
  })
  await hub.submitOnChainEvents(users.flatMap((user) => user.onChain({ units: 100 })))
  const cast = users[0]!.cast('tell of this', testNow - 3)
  await hub.submit([cast]).then(() => expect(notified).toEqual([cast.hash.toString('hex')]))
  await hub.submit([cast])
  await expect(hub.submit([users[0]!.cast('not this', testNow - 2)])).rejects.toThrow('not this')
  expect(notified).toHaveLength(1)
  await hub.close()
})

test('origin signer -> the signature is not verified, everything else is checked', async () => {
  const checked: number[] = []
  const watched: VerifyPool = {
    ...verifyPool,
    verify: (messages) => {
      checked.push(...messages.map(({ data }) => data.type))
      return verifyPool.verify(messages)
    },
  }
  const hub = await open({ verifyPool: watched })
  const user = new TestUser(900)
  await hub.submitOnChainEvents(user.onChain())
  const verificationAddAddressBody = { ...(await ethVerification(900)), claimSignature: Buffer.alloc(65, 1) }
  const outcomes = await hub.submit(
    [
      user.cast('mine', testNow),
      user.cast('x'.repeat(400), testNow),
      user.message({ type: MessageType.VERIFICATION_ADD_ETH_ADDRESS, verificationAddAddressBody }, testNow),
      new TestUser(900, 'another key').cast('not mine', testNow),
    ],
    { origin: 'signer' },
  )
  expect(outcomes.map((outcome) => outcome?.message ?? null)).toEqual([
    null,
    'text > 320 bytes',
    'invalid claimSignature',
    'invalid signer',
  ])
  expect(checked).toEqual([MessageType.VERIFICATION_ADD_ETH_ADDRESS])
  await hub.close()
})
