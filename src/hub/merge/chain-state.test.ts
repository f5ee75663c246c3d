import fc from 'fast-check'
import { expect, test } from 'vitest'
import { TestUser, testKey, testNowUnix } from '../../../test/network.js'
import {
  IdRegisterEventType,
  type OnChainEvent,
  OnChainEventType,
  SignerEventType,
} from '../../protocol/definitions.js'
import { foldChainEvents } from './chain-state.js'

const user = new TestUser(1)

function moved(eventType: IdRegisterEventType, to: number, block: number): OnChainEvent {
  return user.chainEvent(OnChainEventType.EVENT_TYPE_ID_REGISTER, block, {
    idRegisterEventBody: {
      to: Buffer.alloc(20, to),
      eventType,
      from: Buffer.alloc(0),
      recoveryAddress: Buffer.alloc(20, to + 100),
    },
  })
}

const event = fc.integer({ min: 1, max: 40 }).chain((block) =>
  fc.oneof(
    fc.constant(user.registered(block)),
    fc.constant(moved(IdRegisterEventType.TRANSFER, block, block)),
    fc.constant(moved(IdRegisterEventType.CHANGE_RECOVERY, block, block)),
    fc
      .constantFrom(SignerEventType.ADD, SignerEventType.REMOVE, SignerEventType.ADMIN_RESET)
      .map((type) => user.signerEvent(type, block, testKey(`key ${block % 2}`).publicKey)),
    fc
      .integer({ min: 1, max: 90 })
      .map((days) => user.proPurchaseEvent(days, block, testNowUnix + block * 1000)),
  ),
)
const events = fc.uniqueArray(event, {
  maxLength: 15,
  selector: (each) => `${each.type} ${each.blockNumber}`,
})
const shuffled = events.chain((list) =>
  fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length, maxLength: list.length })),
)

test('the state does not depend on the order of arrival', () => {
  fc.assert(
    fc.property(shuffled, ([list, other]) => {
      const byKey = (state: ReturnType<typeof foldChainEvents>) => ({
        ...state,
        signers: [...state.signers].sort((a, b) => Buffer.compare(a.key, b.key)),
      })
      expect(byKey(foldChainEvents(1, other))).toEqual(byKey(foldChainEvents(1, list)))
    }),
  )
})

test('the last registration or transfer sets the custody address; a recovery change does not', () => {
  const state = foldChainEvents(1, [
    moved(IdRegisterEventType.TRANSFER, 7, 20),
    moved(IdRegisterEventType.CHANGE_RECOVERY, 9, 30),
    user.registered(10),
  ])
  expect(state.identity?.custodyAddress).toEqual(Buffer.alloc(20, 7))
  expect(state.identity?.recoveryAddress).toEqual(Buffer.alloc(20, 109))
})

test('an admin reset activates a removed key again, and adds no unknown key', () => {
  const [known, unknown] = [testKey('known').publicKey, testKey('unknown').publicKey]
  const { signers } = foldChainEvents(1, [
    user.signerEvent(SignerEventType.ADD, 1, known),
    user.signerEvent(SignerEventType.REMOVE, 2, known),
    user.signerEvent(SignerEventType.ADMIN_RESET, 3, known),
    user.signerEvent(SignerEventType.ADMIN_RESET, 4, unknown),
  ])
  expect(signers.map(({ key, active }) => ({ key, active }))).toEqual([{ key: known, active: true }])
})

test('pro purchases follow one another without overlap', () => {
  const day = 86_400
  const { proUntil } = foldChainEvents(1, [
    user.proPurchaseEvent(30, 1, testNowUnix),
    user.proPurchaseEvent(30, 2, testNowUnix + 10 * day),
    user.proPurchaseEvent(30, 3, testNowUnix + 100 * day),
  ])
  expect(proUntil).toBe(testNowUnix + 130 * day)
})

test('the log index orders events within a block, for keys and tiers too', () => {
  const key = testKey('known').publicKey
  const at = (event: OnChainEvent, logIndex: number) => ({ ...event, logIndex })
  const removedLast = [
    at(user.signerEvent(SignerEventType.REMOVE, 5, key), 2),
    at(user.signerEvent(SignerEventType.ADD, 5, key), 1),
  ]
  expect(foldChainEvents(1, removedLast).signers).toMatchObject([{ key, active: false }])
  const addedLast = removedLast.map((event, index) => at(event, index + 1))
  expect(foldChainEvents(1, addedLast).signers).toMatchObject([{ key, active: true }])
})

test('a transfer changes the custody address and keeps the registration time', () => {
  const early = { ...user.registered(10), blockTimestamp: testNowUnix - 900 }
  const late = { ...moved(IdRegisterEventType.TRANSFER, 7, 20), blockTimestamp: testNowUnix }
  const { fid, identity } = foldChainEvents(1, [late, early])
  expect(fid).toBe(1)
  expect(identity).toEqual({
    custodyAddress: Buffer.alloc(20, 7),
    recoveryAddress: Buffer.alloc(20, 107),
    registeredAt: testNowUnix - 900,
  })
})

test('a transfer without a recovery address keeps the previous one', () => {
  const transfer = moved(IdRegisterEventType.TRANSFER, 7, 20)
  const silent = {
    ...transfer,
    idRegisterEventBody: { ...transfer.idRegisterEventBody!, recoveryAddress: Buffer.alloc(0) },
  }
  const first = moved(IdRegisterEventType.REGISTER, 3, 10)
  expect(foldChainEvents(1, [first, silent]).identity?.recoveryAddress).toEqual(Buffer.alloc(20, 103))
  expect(foldChainEvents(1, [silent]).identity?.recoveryAddress).toEqual(Buffer.alloc(0))
})

test('a fid without a registration does not exist', () => {
  const strange = user.chainEvent(OnChainEventType.EVENT_TYPE_ID_REGISTER, 3, {})
  const others = [
    moved(IdRegisterEventType.CHANGE_RECOVERY, 9, 1),
    user.storageRentEvent(1),
    user.signerEvent(1),
    strange,
  ]
  const state = foldChainEvents(1, others)
  expect(state.identity).toBeNull()
  expect(state.proUntil).toBe(0)
  expect(state.signers).toHaveLength(1)
  const body = user.registered().idRegisterEventBody!
  const misplaced = {
    ...user.storageRentEvent(1),
    idRegisterEventBody: body,
    signerEventBody: user.signerEvent(1).signerEventBody,
  }
  expect(foldChainEvents(1, [misplaced])).toEqual({ fid: 1, identity: null, proUntil: 0, signers: [] })
})

test('only purchases of the pro tier count', () => {
  const bought = user.proPurchaseEvent(30)
  const other = { ...bought, tierPurchaseEventBody: { ...bought.tierPurchaseEventBody!, tierType: 0 } }
  const misplaced = { ...bought, type: OnChainEventType.EVENT_TYPE_STORAGE_RENT }
  const empty = user.chainEvent(OnChainEventType.EVENT_TYPE_TIER_PURCHASE, 9, {})
  expect(foldChainEvents(1, [other, misplaced, empty]).proUntil).toBe(0)
  expect(foldChainEvents(1, [bought, other, misplaced, empty]).proUntil).toBe(
    testNowUnix - 1000 + 30 * 86_400,
  )
})

test('a removed key keeps its type and the event that added it last, beside the one that changed it', () => {
  const key = testKey('known').publicKey
  const added = user.signerEvent(SignerEventType.ADD, 1, key)
  const again = { ...added, blockNumber: 3, signerEventBody: { ...added.signerEventBody!, keyType: 2 } }
  const removed = user.signerEvent(SignerEventType.REMOVE, 4, key)
  const strange = user.signerEvent(77 as SignerEventType, 5, key)
  expect(foldChainEvents(1, [added, removed]).signers).toEqual([
    { key, keyType: 1, active: false, added, changed: removed },
  ])
  expect(foldChainEvents(1, [added, removed, strange]).signers).toMatchObject([{ active: false }])
  expect(foldChainEvents(1, [added, again]).signers).toEqual([
    { key, keyType: 2, active: true, added: again, changed: again },
  ])
  const reset = user.signerEvent(SignerEventType.ADMIN_RESET, 5, key)
  expect(foldChainEvents(1, [added, removed, reset]).signers).toEqual([
    { key, keyType: 1, active: true, added, changed: reset },
  ])
  expect(foldChainEvents(1, [removed, strange]).signers).toEqual([])
})

test('a purchase of more days than a date can hold ends with the last date', () => {
  const { proUntil } = foldChainEvents(1, [user.proPurchaseEvent(2 ** 31 - 1)])
  expect(new Date(proUntil * 1000).toISOString()).toBe('+275760-09-13T00:00:00.000Z')
})
