import { beforeAll, describe, expect, it } from 'vitest'
import { type MessageData, MessageType, UserDataType } from './definitions.js'
import { primaryAddressBytes } from './kinds/address.js'
import { compactKey, linkKey } from './kinds/link.js'
import { reactionKey } from './kinds/reaction.js'
import { bodyOf, MessageSet } from './message-kind.js'
import { kindOf, messageKinds } from './message-kinds.js'
import { sampleAddress } from './testing/sample-claims.js'
import { sampleSigner, validSamples } from './testing/sample-messages.js'

let samples: Record<string, MessageData>
beforeAll(async () => {
  samples = await validSamples()
})

/** The conflict key of a sample, as hex. */
function key(sample: string, change: (data: MessageData) => void = () => {}): string {
  const data = structuredClone(samples[sample]!)
  change(data)
  const message = sampleSigner().sign(data)
  const kind = kindOf(message.data.type)!
  return kind.conflictKey(bodyOf(kind, message.data), message).toString('hex')
}

describe('messageKinds', () => {
  it('contains every type of the protocol that is in use, once', () => {
    const types = messageKinds.map((kind) => kind.type).sort((a, b) => a - b)
    expect(types).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21])
    for (const type of types) expect(kindOf(type)?.type).toBe(type)
    for (const type of [0, 9, 10, 22, -1, 1.5]) expect(kindOf(type as MessageType)).toBeUndefined()
  })

  it('has the set of each type', () => {
    const sets = Object.fromEntries(
      messageKinds.map((kind) => [MessageType[kind.type], [kind.set, kind.side]]),
    )
    expect(sets).toEqual({
      CAST_ADD: [MessageSet.casts, 'add'],
      CAST_REMOVE: [MessageSet.casts, 'remove'],
      REACTION_ADD: [MessageSet.reactions, 'add'],
      REACTION_REMOVE: [MessageSet.reactions, 'remove'],
      LINK_ADD: [MessageSet.links, 'add'],
      LINK_REMOVE: [MessageSet.links, 'remove'],
      LINK_COMPACT_STATE: [MessageSet.links, 'compact'],
      VERIFICATION_ADD_ETH_ADDRESS: [MessageSet.verifications, 'add'],
      VERIFICATION_REMOVE: [MessageSet.verifications, 'remove'],
      USER_DATA_ADD: [MessageSet.userData, 'add'],
      USERNAME_PROOF: [MessageSet.usernameProofs, 'add'],
      FRAME_ACTION: [null, 'add'],
      LEND_STORAGE: [MessageSet.lends, 'add'],
      KEY_ADD: [MessageSet.keys, 'add'],
      KEY_REMOVE: [MessageSet.keys, 'remove'],
      CHANNEL_UPDATE: [MessageSet.channels, 'add'],
      CHANNEL_MEMBER: [MessageSet.channels, 'add'],
      CHANNEL_PIN: [MessageSet.channels, 'add'],
      CHANNEL_MODERATE: [MessageSet.channels, 'add'],
    })
  })
})

describe('conflict keys', () => {
  const castHash = 'ca'.repeat(20)
  const fid3 = '0000000000000003'

  it('are the cast hash for casts, of the message itself and of the removed one', () => {
    const message = sampleSigner().sign(samples.castAdd!)
    expect(key('castAdd')).toBe(message.hash.toString('hex'))
    expect(key('castRemove')).toBe(castHash)
  })

  it('are type and target for reactions', () => {
    expect(key('reactionAdd')).toBe(`0101${fid3}${castHash}`)
    const channel = Buffer.from('https://farcaster.xyz/~/channel/plaza').toString('hex')
    expect(key('reactionRemove')).toBe(`0202${channel}`)
  })

  it('are type and target for links, and only the type for a compact state', () => {
    expect(key('linkAdd')).toBe(`01${Buffer.from('follow').toString('hex')}00${fid3}`)
    expect(key('linkRemove')).toBe(`01${Buffer.from('block').toString('hex')}00${fid3}`)
    expect(key('linkCompactState')).toBe(`00${Buffer.from('follow').toString('hex')}`)
  })

  it('are the address for verifications, added or removed', () => {
    expect(key('ethVerification')).toBe(sampleAddress.toString('hex'))
    expect(key('verificationRemove')).toBe(key('ethVerification'))
  })

  it('are the type for profile entries, the name for name proofs', () => {
    expect(key('userData')).toBe('03')
    expect(key('ensProof')).toBe(Buffer.from('alice.eth').toString('hex'))
  })

  it('are the borrower for loans, the key for keys', () => {
    expect(key('lendStorage')).toBe(fid3)
    const added = sampleSigner(9).publicKey.toString('hex')
    expect([key('keyAdd'), key('keyRemove')]).toEqual([added, added])
  })

  it('hold fids up to 2^53 - 1', () => {
    const large = key('lendStorage', (data) => {
      data.lendStorageBody!.toFid = Number.MAX_SAFE_INTEGER
    })
    expect(large).toBe('001fffffffffffff')
  })
})

describe('exported parts of conflict keys', () => {
  it('equal those of messages', () => {
    expect(linkKey('follow', 3).toString('hex')).toBe(key('linkAdd'))
    expect(compactKey('follow').toString('hex')).toBe(key('linkCompactState'))
    expect(reactionKey(samples.reactionAdd!.reactionBody!).toString('hex')).toBe(key('reactionAdd'))
  })

  it('sort links by type and target', () => {
    const keys = [linkKey('a', 2), linkKey('a', 300), linkKey('ab', 1), linkKey('b', 1)]
    expect([...keys].reverse().sort(Buffer.compare)).toEqual(keys)
  })

  it('convert a primary address to the bytes of a verification', () => {
    const { BIO, USER_DATA_PRIMARY_ADDRESS_ETHEREUM, USER_DATA_PRIMARY_ADDRESS_SOLANA } = UserDataType
    const address = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
    expect(primaryAddressBytes(USER_DATA_PRIMARY_ADDRESS_ETHEREUM, address)?.toString('hex')).toBe(
      address.slice(2).toLowerCase(),
    )
    expect(primaryAddressBytes(USER_DATA_PRIMARY_ADDRESS_SOLANA, '1'.repeat(32))).toEqual(Buffer.alloc(32))
    expect(primaryAddressBytes(USER_DATA_PRIMARY_ADDRESS_ETHEREUM, '')).toBeNull()
    expect(primaryAddressBytes(BIO, address)).toBeNull()
  })
})
