import type { Address } from 'viem'
import { expect, it } from 'vitest'
import { createTestDatabase } from '../../../test/database.js'
import { grantKey, appCustody as otherCustody, userCustody } from '../../../test/gasless-keys.js'
import { createTestHub } from '../../../test/hub.js'
import { testKey, testNow } from '../../../test/network.js'
import { hexOf } from '../../protocol/bytes.js'
import { FarcasterNetwork, MessageData, UserDataType } from '../../protocol/definitions.js'
import type { SignedMessage } from '../../protocol/message.js'
import { verification } from '../merge/testing/in-memory-merges.js'
import { chainClaimsWithoutChains } from './chain-claims.js'
import { addUser, nameProof, username, walletVerification } from './testing/claim-scene.js'

const { db } = await createTestDatabase()
const hub = await createTestHub(db)
const owner: Address = `0x${'0a'.repeat(20)}`
const ownerBytes = Buffer.from(owner.slice(2), 'hex')
const network = FarcasterNetwork.DEVNET
const newKey = testKey('a new key')

/** The refusal of the last message, which is submitted with those before it. `asked`: only a chain can decide. */
async function outcomeOf(messages: SignedMessage[], options: { synced?: boolean } = {}) {
  const { unconfirmed } = await chainClaimsWithoutChains.check(db, messages, { network, ...options })
  const refusal = unconfirmed.get(messages.at(-1)!)
  if (refusal === undefined) return null
  return refusal.code === 'not_configured' ? 'asked' : `${refusal.code}/${refusal.message}`
}

/** Signs the data of a message with another key. */
const signedBy = (key: typeof newKey, { data }: SignedMessage) => key.sign(MessageData.fromPartial(data))
const stateChanged = 'unavailable/the state that this message depends on has just changed: try again'
const notOwned =
  'bad_request.validation_failure/invalid ens proof, no matching custody address or verified addresses'

it('messages without a name or a contract wallet are not in the answer', async () => {
  const user = await addUser(hub)
  const messages = [
    user.cast('a.eth', testNow),
    username(user, 'aname'),
    user.userData(UserDataType.BIO, 'a.eth', testNow),
    verification(user, ownerBytes, testNow),
  ]
  expect((await chainClaimsWithoutChains.check(db, messages, { network })).unconfirmed).toEqual(new Map())
  expect(await outcomeOf([...messages, nameProof(user, 'a.eth', hexOf(user.custody))])).toBe('asked')
})

it('a claim costs no question unless its key belongs to the user, or is added with it by their custody', async () => {
  const [user, another] = [await addUser(hub, userCustody.address), await addUser(hub, otherCustody.address)]
  const grant = { user, key: newKey, by: userCustody }
  const withoutEffect = [
    await grantKey({ ...grant, user: another, by: otherCustody }),
    await grantKey({ ...grant, key: testKey('another key') }),
    await grantKey({ ...grant, by: otherCustody }),
  ]
  const added = await grantKey(grant)
  const proof = signedBy(newKey, nameProof(user, 'a.eth', userCustody.address))
  const wallet = signedBy(newKey, walletVerification(user, { address: owner, signature: '0x01' }))
  for (const claim of [proof, wallet]) {
    expect(await outcomeOf([claim])).toBe(stateChanged)
    expect(await outcomeOf([...withoutEffect, claim])).toBe(stateChanged)
    expect(await outcomeOf([...withoutEffect, added, claim])).toBe('asked')
    expect(await outcomeOf([claim], { synced: true })).toBe('asked')
  }
})

it('the owner of a name is an address that the user has verified before or verifies with it', async () => {
  const [user, another] = [await addUser(hub), await addUser(hub)]
  const proof = nameProof(user, 'a.eth', owner)
  const verified = verification(user, ownerBytes, testNow)
  expect(await outcomeOf([proof])).toBe(stateChanged)
  expect(await outcomeOf([verification(another, ownerBytes, testNow), proof])).toBe(stateChanged)
  expect(await outcomeOf([verification(user, Buffer.alloc(20, 9), testNow), proof])).toBe(stateChanged)
  expect(await outcomeOf([verified, proof])).toBe('asked')
  await hub.submit([verified], { trusted: true })
  expect(await outcomeOf([proof])).toBe('asked')
  expect(await outcomeOf([nameProof(another, 'a.eth', owner)])).toBe(stateChanged)
})

it('a username needs a proof of its user, stored or submitted with it, and whose owner is theirs', async () => {
  const [user, another] = [await addUser(hub), await addUser(hub)]
  const shown = username(user, 'b.eth')
  const proof = nameProof(user, 'b.eth', hexOf(user.custody))
  expect(await outcomeOf([shown])).toBe(stateChanged)
  expect(await outcomeOf([nameProof(another, 'b.eth', hexOf(another.custody)), shown])).toBe(stateChanged)
  expect(await outcomeOf([nameProof(user, 'c.eth', hexOf(user.custody)), shown])).toBe(stateChanged)
  expect(await outcomeOf([nameProof(user, 'b.eth', owner), shown])).toBe(notOwned)
  expect(await outcomeOf([proof, shown])).toBe('asked')
  expect(await hub.submit([proof], { origin: 'log' })).toEqual([null])
  expect(await outcomeOf([shown])).toBe('asked')
  // The submitted proof would replace the stored one.
  expect(await outcomeOf([nameProof(user, 'b.eth', owner, testNow + 1), shown])).toBe(notOwned)
})
