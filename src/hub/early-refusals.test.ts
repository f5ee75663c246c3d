import { beforeAll, expect, test } from 'vitest'
import { createTestDatabase } from '../../test/database.js'
import {
  appCustody,
  grantedKey,
  grantKey,
  keyOwnersOnChain,
  keyUser,
  removeKey,
  userCustody,
} from '../../test/gasless-keys.js'
import { createTestHub } from '../../test/hub.js'
import { TestUser, testKey, testNow, testNowUnix } from '../../test/network.js'
import { MessageType, UserNameProof, UserNameType } from '../protocol/definitions.js'
import type { SignedMessage } from '../protocol/message.js'
import { noClaims } from './chain-claims/chain-claims.js'
import { lockShards } from './merge/shard-lock.js'

const { db, connect } = await createTestDatabase()
const other = connect({ poolSize: 1 })
const hub = await createTestHub(db, {
  shards: 2,
  chainClaims: { check: async () => noClaims },
})
const stranger = new TestUser(99)
const strangeKey = testKey('of a stranger')

beforeAll(async () => {
  await hub.submitOnChainEvents(keyOwnersOnChain())
})

function nameProof(user: TestUser): SignedMessage {
  const owner = user === keyUser ? Buffer.from(userCustody.address.slice(2), 'hex') : user.custody
  const usernameProofBody = UserNameProof.create({
    timestamp: testNowUnix,
    name: Buffer.from('name.eth'),
    owner,
    signature: Buffer.alloc(65),
    fid: user.fid,
    type: UserNameType.USERNAME_TYPE_ENS_L1,
  })
  return user.message({ type: MessageType.USERNAME_PROOF, usernameProofBody }, testNow)
}

/** Submits messages as a client. Returns the texts of refusals; null for merged ones. */
async function submit(...messages: SignedMessage[]): Promise<(string | null)[]> {
  const outcomes = await hub.submit(messages, { origin: 'client' })
  return outcomes.map((outcome) => outcome?.message ?? null)
}

/** Submits messages while another process writes shards: what needs one of them has no answer. */
async function submitDuringWrites(shards: number[], ...messages: SignedMessage[]) {
  return await other.begin(async (transaction) => {
    await lockShards(transaction, shards)
    return await submit(...messages)
  })
}

test('messages of strangers, which would lock all shards, are refused without a lock', async () => {
  const key = strangeKey
  const refused = [
    nameProof(stranger),
    strangeKey.sign(nameProof(keyUser).data),
    await grantKey({ key, by: appCustody }),
    await removeKey(1, 2, { key }),
  ]
  expect(await submitDuringWrites([1, 2], ...refused)).toEqual([
    'unknown fid',
    'invalid signer',
    'invalid signature',
    'key is not registered for this fid',
  ])
})

test('a repeated key message is refused without a lock', async () => {
  const grant = await grantKey({ nonce: 5 })
  const removal = await removeKey(6, 1)
  expect(await submit(grant)).toEqual([null])
  expect(await submit(removal)).toEqual([null])
  expect(await submitDuringWrites([1, 2], grant, removal)).toEqual([
    'gasless-key nonce 5 is not greater than stored nonce 6',
    'key is not registered for this fid',
  ])
})

test('a message with the body of another type locks the shard of its user alone', async () => {
  const { castAddBody } = keyUser.cast('no proof', testNow).data
  const message = keyUser.message({ type: MessageType.USERNAME_PROOF, castAddBody }, testNow)
  expect(await submitDuringWrites([2], message)).toEqual(['Message data body is missing'])
})

test('a key, what it signs and its removal merge in one submission', async () => {
  const grant = await grantKey({ nonce: 7 })
  const cast = grantedKey.sign(keyUser.cast('by the app', testNow).data)
  expect(await submit(cast, grant)).toEqual([null, null])
  const key = testKey('granted and removed')
  const [removal, other] = [await removeKey(9, 1, { key }), await grantKey({ key, nonce: 8 })]
  expect(await submit(removal, other)).toEqual([null, null])
  expect(await submit(nameProof(keyUser))).toEqual([null])
})
