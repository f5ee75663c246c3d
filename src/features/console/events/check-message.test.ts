import { expect, it } from 'vitest'
import { createTestDatabase } from '../../../../test/database.js'
import { TestUser, testKey, testNow } from '../../../../test/network.js'
import { hexOf } from '../../../protocol/bytes.js'
import { MessageType } from '../../../protocol/definitions.js'
import type { SignedMessage } from '../../../protocol/message.js'
import { checkMessage } from './check-message.js'

const { db } = await createTestDatabase()
const user = new TestUser(7)
const cast = user.cast('hello', testNow)

it('a valid message has no problem', async () => {
  expect(await checkMessage(db, cast, testNow)).toEqual({
    object: 'message_check',
    hash_is_valid: true,
    signature_is_valid: true,
    claim_is_valid: null,
    problem: null,
    signer: hexOf(user.key.publicKey),
    signer_state: 'unknown',
  })
})

it('another signature: invalid, with the problem that a submission would have', async () => {
  const other = { ...cast, signature: user.cast('other', testNow).signature }
  expect(await checkMessage(db, other, testNow)).toMatchObject({
    hash_is_valid: true,
    signature_is_valid: false,
    problem: 'invalid signature',
  })
})

it('another hash: named, whatever the signature is', async () => {
  const hash = Buffer.alloc(20, 1)
  const other: SignedMessage = { ...cast, hash, signature: Buffer.alloc(64) }
  expect(await checkMessage(db, other, testNow)).toMatchObject({
    hash_is_valid: false,
    signature_is_valid: false,
    problem: 'invalid hash',
  })
})

it('a claim on an address is checked: a false one is the problem', async () => {
  const verificationAddAddressBody = {
    address: Buffer.alloc(20, 2),
    claimSignature: Buffer.alloc(65, 3),
    blockHash: Buffer.alloc(32, 4),
    verificationType: 0,
    chainId: 0,
    protocol: 0,
  }
  const type = MessageType.VERIFICATION_ADD_ETH_ADDRESS
  const claim = user.message({ type, verificationAddAddressBody }, testNow)
  const check = await checkMessage(db, claim, testNow)
  expect(check).toMatchObject({ hash_is_valid: true, signature_is_valid: true, claim_is_valid: false })
  expect(check.problem).toMatch(/claim|signature/)
})

it('the key: unknown, given by a message, expired, removed, or active', async () => {
  const stateOf = async () => (await checkMessage(db, cast, testNow)).signer_state
  const { publicKey } = user.key
  const addGasless = (fid: number, key: Buffer) => db`
    insert into hub.gasless_keys (key, fid, request_fid, scopes, ttl_seconds, last_used_at)
    values (${key}, ${fid}, 1, '{}', 60, ${testNow - 60})
  `
  const addSigner = (fid: number, key: Buffer) => db`
    insert into hub.signers (fid, key, key_type, active, block_number, log_index, event)
    values (${fid}, ${key}, 1, true, 1, 1, '')
  `
  const another = testKey('another key').publicKey
  await addSigner(8, publicKey)
  await addSigner(7, another)
  await addGasless(8, publicKey)
  await addGasless(7, another)
  expect(await stateOf()).toBe('unknown')
  await db`update hub.gasless_keys set fid = 7`
  expect(await stateOf()).toBe('by message')
  await db`update hub.gasless_keys set last_used_at = last_used_at - 1`
  expect(await stateOf()).toBe('expired')
  await db`delete from hub.gasless_keys`
  await addSigner(7, publicKey)
  expect(await stateOf()).toBe('active')
  await db`update hub.signers set active = false`
  expect(await stateOf()).toBe('removed')
})
