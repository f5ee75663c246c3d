import { expect, onTestFinished, test } from 'vitest'
import type { Hub } from '../../src/hub/hub.js'
import { openUpstreams } from '../../src/hub/sync/client/upstreams.js'
import { reconcileAccount } from '../../src/hub/sync/reconcile/reconcile.js'
import { SelectedUsers } from '../../src/hub/sync/subset/selected-users.js'
import type { Database } from '../../src/platform/db/connection.js'
import { hexOf } from '../../src/protocol/bytes.js'
import { createTestDatabase } from '../database.js'
import { grantKey, keyOwnersOnChain, keyUser, removeKey, userCustody } from '../gasless-keys.js'
import { createTestHub } from '../hub.js'
import { openHubApi } from '../hub-api.js'
import { openHubGrpc } from '../hub-grpc.js'
import { TestUser, testKey, testNow } from '../network.js'
import { followShard, logOf, startAtFirstEvent, upstreamOf } from './stub-upstream.js'

/** Creates a hub that knows the user of the keys, and not the app that asks for them. */
async function createHubWithoutApp() {
  const { db } = await createTestDatabase({ poolSize: 8 })
  const hub = await createTestHub(db)
  await hub.submitOnChainEvents(keyOwnersOnChain().filter(({ fid }) => fid === keyUser.fid))
  return { db, hub }
}

async function countOf(db: Database) {
  const [row] = await db`
    select
      (select count(*)::integer from hub.gasless_keys) as keys,
      (select count(*)::integer from hub.messages where set = 1) as casts
  `
  return row
}

test('a part of the network has keys that an app outside of it asked for, and what they sign', async () => {
  const { db, hub } = await createHubWithoutApp()
  const key = testKey('granted')
  const grant = await grantKey({ key })
  const cast = key.sign(keyUser.cast('by the key', testNow).data)
  const client = upstreamOf(logOf([{ messages: [grant], hasId: false }, { messages: [cast] }]))
  await startAtFirstEvent(db, client)
  const settings = { fids: [keyUser.fid], channelUrls: [], includeNeighbors: false }
  const selection = await SelectedUsers.open(db, settings)
  await followShard({ db, hub }, client, { selection })
  expect(await countOf(db)).toEqual({ keys: 1, casts: 1 })
})

test.each([
  ['a client grants a key for an app that is unknown here', false, 'local'],
  ['an upstream has a key for an app whose owner, known here, has not asked for it', true, 'log'],
] as const)('%s -> refused', async (_what, isKnown, origin) => {
  const { db, hub } = await createHubWithoutApp()
  if (isKnown) await hub.submitOnChainEvents(new TestUser(2).onChain())
  const [refusal] = await hub.submit([await grantKey({ requestedBy: userCustody })], { origin })
  expect(refusal?.message).toBe('requestSigner does not match custody address of requestFid')
  expect(await countOf(db)).toEqual({ keys: 0, casts: 0 })
})

/** Creates a hub with the user and the app, and another one that compares the user with it. */
async function createPair() {
  const [a, b] = await Promise.all([createTestDatabase({ poolSize: 8 }), createTestDatabase({ poolSize: 8 })])
  const [upstream, hub] = await Promise.all([createTestHub(a.db), createTestHub(b.db)])
  const { server } = await openHubGrpc(a.db, { hub: upstream })
  for (const each of [upstream, hub]) await each.submitOnChainEvents(keyOwnersOnChain())
  const upstreams = openUpstreams({
    addresses: [server.address],
    tls: false,
    headers: new Map(),
    trusted: false,
  })
  onTestFinished(() => upstreams.close())
  const { signal } = new AbortController()
  const options = { db: b.db, upstreams, hub, trusted: false, extra: 'keep', signal } as const
  return { upstream, hub, db: b.db, compare: () => reconcileAccount(options, keyUser.fid) }
}

async function signersOf(db: Database, hub: Hub) {
  const { body } = await (await openHubApi(db, { hub })).get(`/v1/signersByFid?fid=${keyUser.fid}`)
  return (body as { signers: { source: string }[] }).signers.filter(({ source }) =>
    source.endsWith('OFFCHAIN'),
  )
}

test('a key that was granted while the hub was away comes by a comparison, and goes by one when it is removed', async () => {
  const { upstream, hub, db, compare } = await createPair()
  const key = testKey('granted')
  await upstream.submit([await grantKey({ key, ttl: 1000 })])
  await upstream.submit([key.sign(keyUser.cast('meanwhile', testNow).data)])
  expect(await compare()).toMatchObject({ repaired: 1, refused: new Map() })
  const [later, link] = [keyUser.cast('later', testNow), keyUser.link(2, testNow)]
  const outcomes = await hub.submit(
    [later, link].map(({ data }) => key.sign(data)),
    { origin: 'log' },
  )
  expect(outcomes.map((outcome) => outcome?.message ?? null)).toEqual([
    null,
    'message type 5 is not in the scope of the gasless signer',
  ])
  const terms = { key: hexOf(key.publicKey), ttl: 1000, scopes: ['MESSAGE_TYPE_CAST_ADD'], requestFid: 2 }
  expect(await signersOf(db, hub)).toEqual([expect.objectContaining(terms)])

  await upstream.submit([await removeKey(2, 1, { key })])
  await compare()
  expect(await countOf(db)).toEqual({ keys: 0, casts: 2 })
})

test('the grant of a key that a comparison brought before the log merges, and keys that are granted here alone stay', async () => {
  const { upstream, hub, db, compare } = await createPair()
  const key = testKey('granted')
  const grant = await grantKey({ key })
  await upstream.submit([grant])
  await compare()
  expect(await hub.submit([grant], { origin: 'log' })).toEqual([null])
  expect(await signersOf(db, hub)).toEqual([expect.objectContaining({ nonce: 1 })])
  await hub.submit([await grantKey({ key: testKey('granted here'), nonce: 2 })])
  await compare()
  expect(await countOf(db)).toEqual({ keys: 2, casts: 0 })
})
