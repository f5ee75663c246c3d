import { CastType, MessageData, MessageType } from '@farcaster/core'
import { ed25519 } from '@noble/curves/ed25519'
import { blake3 } from '@noble/hashes/blake3'
import { describe, expect, test } from 'vitest'
import { Ed25519Key, EthAccount } from './generator/accounts.js'
import { Cell } from './generator/cell.js'
import { verificationBody } from './generator/claims.js'
import { seal } from './generator/seal.js'
import { MessageDataSpec } from './judge/definitions.js'
import { verifyEd25519 } from './judge/ed25519.js'
import { readEnvelope } from './judge/message.js'
import { decode, encode } from './judge/schema.js'
import { recoverAddress, verificationDigest } from './judge/typed-data.js'

const key = Ed25519Key.of('user 0')

describe('the second judge', () => {
  test('encodes as the published library does, but without its empty lists', () => {
    const content = {
      type: MessageType.CAST_ADD,
      fid: 1,
      timestamp: 5,
      network: 3,
      castAddBody: {
        text: 'ünï',
        embeds: [{ url: 'https://example.com' }],
        mentions: [1, 300],
        mentionsPositions: [0, 1],
        embedsDeprecated: [],
        parentUrl: 'https://example.com/p',
        type: CastType.CAST,
      },
    }
    const bytes = MessageData.encode(MessageData.fromPartial(content)).finish()
    const again = encode(MessageDataSpec, decode(MessageDataSpec, bytes))
    expect(MessageData.decode(again)).toEqual(MessageData.decode(bytes))
    // The parent's URL, number 7, stands at the place of its oneof, before the text.
    expect(again.indexOf('https://example.com/p')).toBeLessThan(again.indexOf('ünï'))
  })

  test('hashes the canonical encoding of data that comes without data_bytes', () => {
    // A cast with an empty list, and with a type that is the default.
    const data = Buffer.from('08011001180520032a0922036162631200' + '4000', 'hex')
    const canonical = encode(MessageDataSpec, decode(MessageDataSpec, data))
    const envelope = readEnvelope(seal(data, key, { data, dataBytes: null }))
    expect(Buffer.from(envelope.hashed)).toEqual(canonical)
  })

  test('verifies signatures as the library of elliptic curves does', () => {
    const hash = blake3(Buffer.from('x'), { dkLen: 20 })
    const signature = key.sign(hash)
    const wrong = Buffer.from(signature)
    wrong[3]! ^= 1
    for (const each of [signature, wrong]) {
      const expected = ed25519.verify(each, hash, key.publicKey, { zip215: false })
      expect(verifyEd25519(Buffer.from(each), Buffer.from(hash), key.publicKey)).toBe(expected)
    }
    const point = Buffer.alloc(32)
    point[0] = 1
    expect(verifyEd25519(Buffer.concat([point, Buffer.alloc(32)]), hash, point)).toBe(false)
  })

  test('recovers the account of a claim, whose last byte is odd for all values but two', () => {
    const wallet = new EthAccount('wallet')
    const [user] = new Cell(1, 3, 1).users
    const { claimSignature, blockHash } = verificationBody(user!, wallet, 3)
    const digest = verificationDigest({
      fid: BigInt(user!.fid),
      address: wallet.address,
      blockHash,
      network: 3,
    })
    expect(Buffer.from(recoverAddress(digest, claimSignature)!)).toEqual(wallet.address)
    const odd = Buffer.from([...claimSignature.subarray(0, 64), claimSignature[64] === 28 ? 0xff : 0])
    expect(Buffer.from(recoverAddress(digest, odd)!)).toEqual(wallet.address)
  })
})
