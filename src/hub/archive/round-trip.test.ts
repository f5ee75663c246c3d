import { expect, test } from 'vitest'
import { createTestDatabase } from '../../../test/database.js'
import { grantedKey, grantKey, keyOwnersOnChain, keyUser, removeKey } from '../../../test/gasless-keys.js'
import { createTestHub } from '../../../test/hub.js'
import { hubContents } from '../../../test/hub-contents.js'
import { nameTransfer, TestUser, testKey, testNow, testNowUnix } from '../../../test/network.js'
import type { Database } from '../../platform/db/connection.js'
import {
  FarcasterNetwork,
  IdRegisterEventType,
  SignerEventType,
  StorageUnitType,
  UserDataType,
  UserNameType,
} from '../../protocol/definitions.js'
import { exportAll } from './export.js'
import { importArchive } from './import.js'
import { ArchiveWriter } from './writer.js'

const network = FarcasterNetwork.DEVNET
const day = 86_400

/** Opens a hub on an empty database. `setTime` moves its clock, in Unix seconds. */
async function openHub(atUnix = testNowUnix) {
  const { db } = await createTestDatabase()
  let nowUnix = atUnix
  const hub = await createTestHub(db, { clock: () => nowUnix * 1000 })
  const setTime = (unix: number) => {
    nowUnix = unix
  }
  return { db, hub, setTime }
}

/** Imports all that one hub stores into another one, by default an empty one, now. */
async function copy(from: Database, to?: Awaited<ReturnType<typeof openHub>>, fids?: readonly number[]) {
  const written: Buffer[] = []
  const start = { network, archiveId: '00000000000000dd', selection: 1, framesBefore: 0, position: 0 }
  const writer = new ArchiveWriter({ write: async (bytes) => void written.push(bytes) }, start)
  await exportAll({ db: from, writer, after: null, ...(fids === undefined ? {} : { fids }) })
  await writer.finish()
  async function* source() {
    yield Buffer.concat(written)
  }
  const target = to ?? (await openHub())
  const { tally } = await importArchive({ ...target, network, source: source(), restart: false })
  return { ...target, refused: [...tally.refused] }
}

test('messages of a key that was used in time are imported, however old its grant is', async () => {
  const source = await openHub(testNowUnix - 60 * day)
  await source.hub.submitOnChainEvents(keyOwnersOnChain())
  const at = testNow - 60 * day
  expect(await source.hub.submit([await grantKey({ ttl: 30 * day, at })])).toEqual([null])
  for (const days of [20, 40, 60]) {
    source.setTime(testNowUnix + (days - 60) * day)
    const cast = keyUser.cast(`after ${days} days`, at + days * day)
    expect(await source.hub.submit([grantedKey.sign(cast.data)])).toEqual([null])
  }
  const target = await copy(source.db)
  expect(target.refused).toEqual([])
  expect(await hubContents(target.db)).toEqual(await hubContents(source.db))
})

test('users who live on borrowed storage are imported whole, before or after their lender', async () => {
  const source = await openHub()
  const [early, lender, late] = [new TestUser(1), new TestUser(2), new TestUser(3)]
  await source.hub.submitOnChainEvents([
    ...[early, lender, late].flatMap((user) => user.onChain()),
    lender.storageRentEvent(11, 900, testNowUnix - day),
  ])
  const casts = [early, late].flatMap((user) =>
    Array.from({ length: 130 }, (_, n) => user.cast(`${n}`, testNow - 400 + n)),
  )
  const loans = [early, late].map(({ fid }) =>
    lender.lendStorage(fid, 5, StorageUnitType.UNIT_TYPE_2025, testNow - 500),
  )
  for (const messages of [loans, casts]) {
    expect(new Set(await source.hub.submit(messages))).toEqual(new Set([null]))
  }
  const target = await copy(source.db)
  expect(target.refused).toEqual([])
  expect(await hubContents(target.db)).toEqual(await hubContents(source.db))

  const alone = await copy(source.db, undefined, [early.fid])
  expect(await alone.db`select fid, count(*) from hub.messages group by fid order by fid`).toEqual([
    { fid: early.fid, count: 130 },
    { fid: lender.fid, count: 1 },
  ])
})

test('keys that a former custody address granted are imported, with all that they signed', async () => {
  const source = await openHub()
  await source.hub.submitOnChainEvents(keyOwnersOnChain())
  expect(await source.hub.submit([await grantKey()])).toEqual([null])
  const cast = grantedKey.sign(keyUser.cast('before the transfer', testNow - 10).data)
  expect(await source.hub.submit([cast])).toEqual([null])
  const registered = keyUser.registered(9_000)
  const to = Buffer.alloc(20, 7)
  await source.hub.submitOnChainEvents([
    {
      ...registered,
      blockTimestamp: testNowUnix,
      idRegisterEventBody: {
        ...registered.idRegisterEventBody!,
        eventType: IdRegisterEventType.TRANSFER,
        from: registered.idRegisterEventBody!.to,
        to,
      },
    },
  ])
  const target = await copy(source.db)
  expect(target.refused).toEqual([])
  expect(await hubContents(target.db)).toEqual(await hubContents(source.db))
})

test('the lender of a user who is exported alone brings the nonces of its keys', async () => {
  const source = await openHub()
  const borrower = new TestUser(77)
  await source.hub.submitOnChainEvents([
    ...keyOwnersOnChain(),
    ...borrower.onChain(),
    keyUser.signerEvent(SignerEventType.ADD, 900),
    keyUser.storageRentEvent(11, 901, testNowUnix - day),
  ])
  for (const message of [
    await grantKey({ key: testKey('kept'), nonce: 1 }),
    await grantKey({ nonce: 2 }),
    await removeKey(3, 1),
    keyUser.lendStorage(borrower.fid, 5, StorageUnitType.UNIT_TYPE_2025, testNow - 500),
  ])
    expect(await source.hub.submit([message])).toEqual([null])
  // With all users its keys come twice, and the second time they are duplicates.
  const whole = await copy(source.db)
  expect(whole.refused).toEqual([])
  expect(await hubContents(whole.db)).toEqual(await hubContents(source.db))
  const target = await copy(source.db, undefined, [borrower.fid])
  expect(target.refused).toEqual([])
  // Else the grant of the removed key, which everybody has seen, could be merged again.
  expect(await target.db`select nonce from hub.key_nonces where fid = ${keyUser.fid} and kind = 1`).toEqual([
    { nonce: 3 },
  ])
})

test('keys are imported by nonce, whatever the timestamps of their grants', async () => {
  const source = await openHub()
  await source.hub.submitOnChainEvents(keyOwnersOnChain())
  const [first, second] = [testKey('first'), testKey('second')]
  for (const grant of [
    await grantKey({ key: first, nonce: 1, at: testNow }),
    await grantKey({ key: second, nonce: 2, at: testNow - 300 }),
  ]) {
    expect(await source.hub.submit([grant])).toEqual([null])
  }
  const target = await copy(source.db)
  expect(target.refused).toEqual([])
  expect(await hubContents(target.db)).toEqual(await hubContents(source.db))
})

test.each([
  ['custody', 3, 1],
  ['the key itself', 1, 2],
] as const)('a key that %s removed cannot be granted again by its old grant', async (_by, nonce, type) => {
  const source = await openHub()
  await source.hub.submitOnChainEvents(keyOwnersOnChain())
  const grant = await grantKey({ nonce: 2 })
  const kept = await grantKey({ key: testKey('kept'), nonce: 1 })
  for (const message of [kept, grant, await removeKey(nonce, type)]) {
    expect(await source.hub.submit([message])).toEqual([null])
  }
  const target = await copy(source.db)
  expect(target.refused).toEqual([])
  expect(await hubContents(target.db)).toEqual(await hubContents(source.db))
  expect(await target.hub.submit([grant])).toMatchObject([{ code: 'bad_request.conflict' }])
})

test('an import does not lower a nonce that a key message has used since', async () => {
  const source = await openHub()
  await source.hub.submitOnChainEvents(keyOwnersOnChain())
  await source.hub.submit([await grantKey()])
  const target = await copy(source.db)
  await target.hub.submit([await grantKey({ nonce: 9 })])
  const { refused } = await copy(source.db, target)
  expect(refused).toEqual([
    ['bad_request.conflict: gasless-key nonce … is not greater than stored nonce …', 1],
  ])
  expect(await target.db`select nonce from hub.key_nonces`).toEqual([{ nonce: 9 }])
})

test('messages of a user whose storage and tier have expired are imported', async () => {
  const sentAt = testNowUnix - 400 * day
  const source = await openHub(sentAt)
  const user = new TestUser(7)
  await source.hub.submitOnChainEvents([
    user.registered(),
    user.signerEvent(SignerEventType.ADD),
    // Four years are over since yesterday.
    user.storageRentEvent(1, 900, testNowUnix - (4 * 365 + 1) * day),
    user.proPurchaseEvent(30, 901, sentAt),
  ])
  const [cast, banner] = [
    user.cast('hello', testNow - 400 * day),
    user.userData(UserDataType.BANNER, 'https://example.com/b.png', testNow - 400 * day),
  ]
  expect(await source.hub.submit([cast, banner])).toEqual([null, null])
  const target = await copy(source.db)
  expect(target.refused).toEqual([])
  expect(await hubContents(target.db)).toEqual(await hubContents(source.db))
})

test('ENS names and basenames that an upstream listed without their messages are imported', async () => {
  const source = await openHub()
  const user = new TestUser(7)
  await source.hub.submitOnChainEvents(user.onChain())
  const { USERNAME_TYPE_ENS_L1, USERNAME_TYPE_BASENAME } = UserNameType
  const proofs = [
    nameTransfer('ada', 7, 100),
    { ...nameTransfer('ada.eth', 7, 100), type: USERNAME_TYPE_ENS_L1 },
    { ...nameTransfer('ada.base.eth', 7, 100), type: USERNAME_TYPE_BASENAME },
  ]
  expect(await source.hub.submitNameTransfers(proofs)).toEqual([null, null, null])
  expect(await source.hub.submit([user.userData(UserDataType.USERNAME, 'ada', testNow)])).toEqual([null])
  const target = await copy(source.db)
  expect(target.refused).toEqual([])
  expect(await hubContents(target.db)).toEqual(await hubContents(source.db))
})

test('a name that was lost is not in an archive: its proof would bring it back', async () => {
  const source = await openHub()
  const user = new TestUser(7)
  await source.hub.submitOnChainEvents(user.onChain())
  const lost = { ...nameTransfer('ada.eth', 7, 100), type: UserNameType.USERNAME_TYPE_ENS_L1 }
  const released = nameTransfer('ada', 0, 100)
  expect(await source.hub.submitNameTransfers([lost, released])).toEqual([null, null])
  const items = [{ kind: 'nameTransfer', proof: lost, isLost: true }] as const
  expect(await source.hub.submitItems(items)).toEqual([null])
  const target = await copy(source.db)
  expect(target.refused).toEqual([])
  expect(await target.db`select name, fid from hub.username_proofs`).toEqual([{ name: 'ada', fid: 0 }])
})

test('names of users without on-chain events are imported: a part of the network has the names of everybody', async () => {
  const source = await openHub()
  const user = new TestUser(120)
  await source.hub.submitOnChainEvents(user.onChain())
  // More than a page of them, on both sides of the user.
  const proofs = Array.from({ length: 240 }, (_, n) => nameTransfer(`name-${n}`, n + 1, testNowUnix - 500))
  await source.hub.submitNameTransfers(proofs)
  const target = await copy(source.db)
  expect(target.refused).toEqual([])
  expect(await target.db`select from hub.username_proofs`).toHaveLength(proofs.length)
  expect(await hubContents(target.db)).toEqual(await hubContents(source.db))
})
