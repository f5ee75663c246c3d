import {
  GASLESS_KEY_ADD_EIP_712_TYPES,
  GASLESS_KEY_REMOVE_EIP_712_TYPES,
  GASLESS_SIGNED_KEY_REQUEST_EIP_712_TYPES,
} from '@farcaster/core'
import { encodeAbiParameters } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { createTestDatabase } from '../../../../test/database.js'
import { TestUser, testKey, testNow, testNowUnix } from '../../../../test/network.js'
import { hexOf } from '../../../protocol/bytes.js'
import { MessageType } from '../../../protocol/definitions.js'
import type { SignedMessage } from '../../../protocol/message.js'
import { ensurePartitions } from '../../log/partitions.js'
import type { MergeBatch } from '../batch.js'
import { mergeBatch } from '../merge.js'

const { db } = await createTestDatabase()
const custody = privateKeyToAccount(`0x${'11'.repeat(32)}`)
const appCustody = privateKeyToAccount(`0x${'22'.repeat(32)}`)
const user = new TestUser(1)
const app = new TestUser(2)
const granted = testKey('granted')
const day = 86_400

beforeAll(() => ensurePartitions(db, testNowUnix * 1000))
beforeEach(async () => {
  await db.unsafe(`
    truncate hub.messages, hub.set_counts, hub.events, hub.onchain_events, hub.fids, hub.signers,
      hub.storage_rents, hub.shards, hub.gasless_keys, hub.key_nonces;
    insert into hub.shards (shard) values (1);
  `)
  await merge({ chainEvents: [...ownedBy(user, custody.address), ...ownedBy(app, appCustody.address)] })
})

function ownedBy(owner: TestUser, address: string) {
  const [registered, ...rest] = owner.onChain()
  const to = Buffer.from(address.slice(2), 'hex')
  return [{ ...registered!, idRegisterEventBody: { ...registered!.idRegisterEventBody!, to } }, ...rest]
}

async function merge(batch: Partial<MergeBatch>, atUnix = testNowUnix) {
  const whole = { messages: [], chainEvents: [], nameTransfers: [], ...batch }
  return await mergeBatch(db, 1, whole, { shards: 1, hooks: [] }, atUnix * 1000)
}

/** The text of the refusal; null if the message merged. */
async function submit(message: SignedMessage, atUnix = testNowUnix): Promise<string | null> {
  return (await merge({ messages: [message] }, atUnix)).messages[0]?.message ?? null
}

interface Grant {
  nonce?: number
  scopes?: MessageType[]
  ttl?: number
  by?: typeof custody
  requestedBy?: typeof custody
  deadline?: number
}

async function grant(options: Grant = {}): Promise<SignedMessage> {
  const { nonce = 1, scopes = [MessageType.CAST_ADD], ttl = day, deadline = testNow + 100 } = options
  const key = hexOf(granted.publicKey)
  const requestSigner = options.requestedBy ?? appCustody
  const request = { requestFid: 2n, key, deadline: BigInt(deadline) }
  const signature = await requestSigner.signTypedData({
    ...GASLESS_SIGNED_KEY_REQUEST_EIP_712_TYPES,
    primaryType: 'SignedKeyRequest',
    message: request,
  })
  const metadata = encodeAbiParameters(
    [
      {
        type: 'tuple',
        components: [
          { name: 'requestFid', type: 'uint256' },
          { name: 'requestSigner', type: 'address' },
          { name: 'signature', type: 'bytes' },
          { name: 'deadline', type: 'uint256' },
        ],
      },
    ],
    [{ requestFid: 2n, requestSigner: requestSigner.address, signature, deadline: BigInt(deadline) }],
  )
  const custodySignature = await (options.by ?? custody).signTypedData({
    ...GASLESS_KEY_ADD_EIP_712_TYPES,
    primaryType: 'KeyAdd',
    message: { fid: 1n, key, keyType: 1, scopes, ttl, nonce, deadline: BigInt(deadline) },
  })
  const keyAddBody = {
    key: granted.publicKey,
    keyType: 1,
    custodySignature: bytes(custodySignature),
    deadline,
    nonce,
    metadata: bytes(metadata),
    metadataType: 1,
    registrationTxHash: Buffer.alloc(0),
    scopes,
    ttl,
  }
  return byGrantedKey(user.message({ type: MessageType.KEY_ADD, keyAddBody }, testNow))
}

async function takeBack(nonce: number, signatureType: number): Promise<SignedMessage> {
  const deadline = testNow + 100
  const signature = await custody.signTypedData({
    ...GASLESS_KEY_REMOVE_EIP_712_TYPES,
    primaryType: 'KeyRemove',
    message: { fid: 1n, key: hexOf(granted.publicKey), nonce, deadline: BigInt(deadline) },
  })
  const keyRemoveBody = {
    key: granted.publicKey,
    signature: bytes(signature),
    signatureType,
    deadline,
    nonce,
  }
  return byGrantedKey(user.message({ type: MessageType.KEY_REMOVE, keyRemoveBody }, testNow))
}

function byGrantedKey(message: SignedMessage): SignedMessage {
  return granted.sign(message.data)
}

function bytes(hex: string): Buffer {
  return Buffer.from(hex.slice(2), 'hex')
}

test('a gasless key signs the types in its scopes only', async () => {
  const cast = byGrantedKey(user.cast('by the app', testNow))
  expect(await submit(cast)).toBe('invalid signer')
  expect(await submit(await grant())).toBeNull()
  expect(await submit(cast)).toBeNull()
  expect(await submit(byGrantedKey(user.link(2, testNow)))).toBe(
    'message type 5 is not in the scope of the gasless signer',
  )
})

test('KEY_ADD needs the custody signatures of the user and of the app', async () => {
  expect(await submit(await grant({ by: appCustody }))).toBe('invalid signature')
  expect(await submit(await grant({ requestedBy: custody }))).toBe(
    'requestSigner does not match custody address of requestFid',
  )
})

test('a key expires after its ttl without use; use extends it', async () => {
  await submit(await grant({ ttl: day }))
  expect(
    await submit(byGrantedKey(user.cast('half a day', testNow + day / 2)), testNowUnix + day / 2),
  ).toBeNull()
  expect(await submit(byGrantedKey(user.cast('a day', testNow + day)), testNowUnix + day + 100)).toBeNull()
  const late = byGrantedKey(user.cast('too late', testNow + 3 * day))
  expect(await submit(late, testNowUnix + 3 * day)).toBe(
    `gasless-key last_used_at expired: stored=${testNow + day} + ttl=${day} < current_block_timestamp=${testNow + 3 * day}`,
  )
})

test('a nonce can be used once, and only larger ones after it', async () => {
  const first = await grant({ nonce: 5 })
  expect(await submit(first)).toBeNull()
  expect(await submit(first)).toBe('gasless-key nonce 5 is not greater than stored nonce 5')
  expect(await submit(await takeBack(5, 1))).toBe('gasless-key nonce 5 is not greater than stored nonce 5')
  expect(await submit(await takeBack(6, 1))).toBeNull()
  expect(await submit(await grant({ nonce: 6 }))).toBe(
    'gasless-key nonce 6 is not greater than stored nonce 6',
  )
  expect(await submit(await grant({ nonce: 7 }))).toBeNull()
})

test('KEY_REMOVE signed by the key itself removes it', async () => {
  await submit(await grant())
  expect(await submit(await takeBack(1, 2))).toBeNull()
  expect(await submit(byGrantedKey(user.cast('gone', testNow)))).toBe('invalid signer')
  expect(await db`select 1 from hub.messages where set = 8`).toHaveLength(0)
  expect(await submit(await takeBack(2, 2))).toBe('key is not registered for this fid')
})

test.each([
  ['that key', granted],
  ['another signer of the fid', user.key],
])('KEY_ADD of an active on-chain signer, signed by %s -> refused', async (_signer, key) => {
  await merge({ chainEvents: [user.signerEvent(1, 9000, granted.publicKey)] })
  const message = await grant()
  expect(await submit(key.sign(message.data))).toBe('key is already registered onchain for this fid')
  expect(await db`select 1 from hub.gasless_keys`).toHaveLength(0)
})
