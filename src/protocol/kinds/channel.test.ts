import { describe, expect, test } from 'vitest'
import { TestChannel } from '../../../test/channels.js'
import { TestUser, testNow } from '../../../test/network.js'
import { channelIdOf, channelIdOfUrl, channelUrl } from '../channel-uri.js'
import { FarcasterNetwork, type MessageData, MessageType } from '../definitions.js'
import { isV21 } from '../engine-version.js'
import { validateStateless } from '../validate.js'

const user = new TestUser(1)
const channel = new TestChannel('plaza')
const context = { network: FarcasterNetwork.DEVNET, now: testNow, isPro: false, isSynced: false }

/** The text of the refusal of this data; null if it is valid. */
function text(data: Partial<MessageData>): string | null {
  const message = user.key.sign({ ...channel.update(user).data, channelUpdateBody: undefined, ...data })
  return validateStateless(message, context)?.message ?? null
}

const twice = (fault: string) => `bad_request.validation_failure/${fault}`
const channelId = channel.id
const castHash = Buffer.alloc(20, 1)

const bodies = {
  update: (body: object) => ({
    type: MessageType.CHANNEL_UPDATE,
    channelUpdateBody: { channelId, ...body },
  }),
  member: (body: object) => ({
    type: MessageType.CHANNEL_MEMBER,
    channelMemberBody: { channelId, fid: 2, action: 1, ...body },
  }),
  pin: (body: object) => ({
    type: MessageType.CHANNEL_PIN,
    channelPinBody: { channelId, castHash, ...body },
  }),
  moderate: (body: object) => ({
    type: MessageType.CHANNEL_MODERATE,
    channelModerateBody: { channelId, castHash, action: 1, ...body },
  }),
}

describe('a channel message', () => {
  test.each(Object.entries(bodies))('%s is valid with an id of 32 bytes, and no other', (_name, body) => {
    expect(text(body({}))).toBeNull()
    for (const length of [0, 20, 31, 33]) {
      expect(text(body({ channelId: Buffer.alloc(length) }))).toBe(twice('channel id must be 32 bytes'))
    }
  })

  test.each([
    ['update', { castingMode: 0, membershipMode: 0, name: '', rules: 'x'.repeat(1500) }, null],
    ['update', { castingMode: 3, membershipMode: 2 }, null],
    ['update', { castingMode: 4, membershipMode: 9 }, 'invalid channel casting mode'],
    ['update', { membershipMode: 3 }, 'invalid channel membership mode'],
    ['member', { fid: 2 ** 32 - 1, action: 6 }, null],
    ['member', { fid: 0, action: 0 }, 'channel member fid must fit in a non-zero u32'],
    ['member', { fid: 2 ** 32 }, 'channel member fid must fit in a non-zero u32'],
    ['member', { action: 0 }, 'invalid channel member action'],
    ['member', { action: 7 }, 'invalid channel member action'],
    ['pin', { castHash: Buffer.alloc(0) }, null],
    ['pin', { castHash: Buffer.alloc(19) }, 'channel pin cast hash must be empty or 20 bytes'],
    ['moderate', { castHash: Buffer.alloc(0), action: 9 }, 'channel moderate cast hash must be 20 bytes'],
    ['moderate', { action: 0 }, 'invalid channel moderate action'],
    ['moderate', { action: 3 }, 'invalid channel moderate action'],
  ] as const)('%s %o -> %s', (name, body, fault) => {
    expect(text(bodies[name](body))).toBe(fault === null ? null : twice(fault))
  })
})

test('engine V21 is on from the start on devnet, and has no date on mainnet and testnet', () => {
  const networks = [0, 1, 2, 3, 4]
  expect(networks.map((network) => isV21(network, testNow))).toEqual([true, false, false, true, false])
})

describe('the URL of a channel', () => {
  const { DEVNET, TESTNET, MAINNET } = FarcasterNetwork

  test('has the id as a decimal number, and gives it back', () => {
    for (const id of [channel.id, Buffer.alloc(32), Buffer.alloc(32, 255), channelIdOf('')]) {
      const url = channelUrl(DEVNET, id)!
      expect(url).toMatch(/^eip155:11155111\/erc721:0x7Dd80C661dED9bFC8D4440224A0b39b345a91BE4\/\d+$/)
      expect(channelIdOfUrl(DEVNET, url)).toEqual(id)
      expect(channelUrl(TESTNET, id)).toBe(url)
    }
    expect(channelUrl(MAINNET, channel.id)).toBeNull()
  })

  test.each([
    ['small letters', (url: string) => url.toLowerCase()],
    ['a leading zero', (url: string) => url.replace(/(\d+)$/, '0$1')],
    ['too large a number', (url: string) => url.replace(/\d+$/, (2n ** 256n).toString())],
    ['no number', (url: string) => url.replace(/\d+$/, '')],
    ['another chain', (url: string) => url.replace('11155111', '1')],
    ['text behind it', (url: string) => `${url}/`],
  ])('with %s is no channel', (_what, change) => {
    expect(channelIdOfUrl(DEVNET, change(channelUrl(DEVNET, channel.id)!))).toBeNull()
  })
})
