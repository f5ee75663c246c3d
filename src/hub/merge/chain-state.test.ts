import { IdRegisterEventType, type OnChainEvent, OnChainEventType, SignerEventType } from '@farcaster/core'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { TestUser, testKey, testNowUnix } from '../../../test/network.js'
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
    fc.integer({ min: 1, max: 90 }).map((days) => user.boughtPro(days, block, testNowUnix + block * 1000)),
  ),
)
const events = fc.uniqueArray(event, {
  maxLength: 15,
  selector: (each) => `${each.type} ${each.blockNumber}`,
})
const shuffled = events.chain((list) =>
  fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length, maxLength: list.length })),
)

test('what the events of a fid add up to does not depend on the order of their arrival', () => {
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

test('the newest registration or transfer holds the fid; recovery changes do not', () => {
  const state = foldChainEvents(1, [
    moved(IdRegisterEventType.TRANSFER, 7, 20),
    moved(IdRegisterEventType.CHANGE_RECOVERY, 9, 30),
    user.registered(10),
  ])
  expect(state.identity?.custodyAddress).toEqual(Buffer.alloc(20, 7))
  expect(state.identity?.recoveryAddress).toEqual(Buffer.alloc(20, 109))
})

test('an admin reset makes a removed key active again, and adds no key that was never there', () => {
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
    user.boughtPro(30, 1, testNowUnix),
    user.boughtPro(30, 2, testNowUnix + 10 * day),
    user.boughtPro(30, 3, testNowUnix + 100 * day),
  ])
  expect(proUntil).toBe(testNowUnix + 130 * day)
})
