import fc from 'fast-check'
import { expect, it } from 'vitest'
import {
  channelEvent,
  channelRegistration,
  channelRenewal,
  channelTransfer,
} from '../../../test/channel-events.js'
import { channelIdOf } from '../../protocol/channel-uri.js'
import { ChannelRegisterEventType } from '../../protocol/definitions.js'
import { foldChannelEvents } from './channel-registration.js'

const [first, second] = [Buffer.alloc(20, 1), Buffer.alloc(20, 2)]
const stateOf = (...events: Parameters<typeof foldChannelEvents>[0][number][]) => {
  const channel = foldChannelEvents(events)
  return channel && [channel.ownerAddress[0], channel.expiry]
}

it('channelIdOf: keccak256 of the key as UTF-8', () => {
  expect(channelIdOf('hello').toString('hex')).toBe(
    '1c8aff950685c2ed4bc3174f3472287b56d9517b9c948127319a09a7a36deac8',
  )
})

it('what precedes the registration has no effect: neither the mint nor a renewal', () => {
  expect(stateOf(channelTransfer('a', first, { block: 1 }), channelRenewal('a', { block: 2 }, 5))).toBeNull()
  expect(
    stateOf(
      channelTransfer('a', second, { block: 3, logIndex: 0 }),
      channelRegistration('a', first, { block: 3, logIndex: 1 }, 7),
    ),
  ).toEqual([1, 7])
})

it('a renewal changes the expiry, a transfer the owner, a registration both', () => {
  const registered = channelRegistration('a', first, { block: 1 }, 7)
  expect(stateOf(registered, channelRenewal('a', { block: 2 }, 9))).toEqual([1, 9])
  expect(stateOf(registered, channelTransfer('a', second, { block: 2 }))).toEqual([2, 7])
  expect(stateOf(registered, channelRegistration('a', second, { block: 2 }, 3))).toEqual([2, 3])
})

it('an event whose key is not that of its label, or without an owner -> no effect', () => {
  const registered = channelRegistration('a', first, { block: 1 }, 7)
  const eventType = ChannelRegisterEventType.REGISTER
  const wrong = [
    channelEvent('a', { block: 2 }, { eventType, channelKey: 'b', ownerAddress: second }),
    channelEvent('a', { block: 2 }, { eventType, channelKey: 'a', ownerAddress: second.subarray(1) }),
    channelEvent('a', { block: 2 }, { eventType, channelKey: 'a', ownerAddress: second, label: first }),
    channelEvent(
      'a',
      { block: 2 },
      { eventType: ChannelRegisterEventType.RENEW, channelKey: 'b', expiry: 9 },
    ),
    channelEvent('a', { block: 2 }, { eventType: ChannelRegisterEventType.TRANSFER }),
    channelEvent('a', { block: 2 }, { eventType: ChannelRegisterEventType.NONE, ownerAddress: second }),
    channelRegistration('\0', second, { block: 2 }),
  ]
  for (const event of wrong) expect(stateOf(registered, event)).toEqual([1, 7])
})

it('a key of more than 1,024 bytes -> no effect', () => {
  const registered = (key: string) => stateOf(channelRegistration(key, first, { block: 1 }, 7))
  expect(registered('k'.repeat(1_024))).toEqual([1, 7])
  expect(registered('k'.repeat(1_025))).toBeNull()
  expect(registered('ä'.repeat(512))).toEqual([1, 7])
  expect(registered('ä'.repeat(513))).toBeNull()
})

it('every order of arrival results in the same registration', () => {
  const position = fc.record({ block: fc.nat(2), txIndex: fc.nat(1), logIndex: fc.nat(3) })
  const event = fc.tuple(position, fc.nat(2), fc.integer({ min: 1, max: 9 })).map(([at, kind, value]) => {
    const owner = Buffer.alloc(20, value)
    if (kind === 0) return channelRegistration('a', owner, at, value)
    return kind === 1 ? channelRenewal('a', at, value) : channelTransfer('a', owner, at)
  })
  const events = fc.uniqueArray(event, {
    maxLength: 8,
    selector: ({ blockNumber, txIndex, logIndex }) => `${blockNumber}/${txIndex}/${logIndex}`,
  })
  fc.assert(
    fc.property(
      events.chain((list) =>
        fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length })),
      ),
      ([list, shuffled]) => {
        expect(foldChannelEvents(shuffled)).toEqual(foldChannelEvents(list))
      },
    ),
  )
})
