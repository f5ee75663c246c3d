import {
  type HubError,
  MessageType,
  OnChainEventType,
  SignerSource,
  StoreType,
  TierType,
  UserNameProof,
} from '@farcaster/hub-nodejs'
import { beforeAll, describe, expect, test } from 'vitest'
import { createTestDatabase } from '../../../../test/database.js'
import { openHubGrpc } from '../../../../test/hub-grpc.js'
import { nameTransfer, TestUser, testNow, testNowUnix } from '../../../../test/network.js'
import { encodeMessage } from '../../../protocol/codec.js'
import { OnChainEvent } from '../../../protocol/definitions.js'

const { db } = await createTestDatabase()
const { hub, client } = await openHubGrpc(db)
const [alice, bob] = [new TestUser(1), new TestUser(2)]
const name = nameTransfer('alice', 1, testNowUnix - 50)
const chain = [...alice.onChain({ units: 2 }), alice.proPurchaseEvent(30)]

beforeAll(async () => {
  await hub.submitOnChainEvents([...chain, ...bob.onChain()])
  await hub.submitNameTransfers([name])
  expect(await hub.submit([alice.cast('hello', testNow - 18)])).toEqual([null])
})

async function unwrapped<Value>(requests: Promise<{ _unsafeUnwrap(): Value }>): Promise<Value> {
  return (await requests)._unsafeUnwrap()
}

async function refused(requests: Promise<{ _unsafeUnwrapErr(): HubError }>): Promise<string> {
  return (await requests)._unsafeUnwrapErr().message
}

describe('a user', () => {
  test('are listed by shard, in pages', async () => {
    expect(await unwrapped(client.getFids({ shardId: 1 }))).toEqual({
      fids: [1, 2],
      nextPageToken: undefined,
    })
    // A hub with one shard needs no choice: protobuf writes 0 for none.
    expect((await unwrapped(client.getFids({ shardId: 0 }))).fids).toEqual([1, 2])
    const page = await unwrapped(client.getFids({ shardId: 1, pageSize: 1, reverse: true }))
    expect(page.fids).toEqual([2])
    const { nextPageToken: pageToken } = page
    expect(
      (await unwrapped(client.getFids({ shardId: 1, pageSize: 1, reverse: true, pageToken }))).fids,
    ).toEqual([1])
    expect(await refused(client.getFids({ shardId: 2 }))).toBe(
      'bad_request.invalid_param/shard_id 2: Shard not found',
    )
  })

  test('finds the proofs of names by name and by fid', async () => {
    const proof = await unwrapped(client.getUsernameProof({ name: Buffer.from('alice') }))
    expect(UserNameProof.toJSON(proof)).toEqual(UserNameProof.toJSON(name))
    const { proofs } = await unwrapped(client.getUserNameProofsByFid({ fid: 1 }))
    expect(proofs).toEqual([proof])
    expect(await refused(client.getUsernameProof({ name: Buffer.from('nobody') }))).toBe(
      'not_found/Username proof not found',
    )
  })

  test('has storage limits and usage', async () => {
    await db`insert into hub.storage_loans (from_fid, to_fid, unit_type, units) values (1, 2, 2, 1)`
    const limits = await unwrapped(client.getCurrentStorageLimitsByFid({ fid: 1 }))
    await db`delete from hub.storage_loans`
    expect(limits.units).toBe(1)
    expect(limits.limits).toHaveLength(7)
    expect(limits.limits[0]).toMatchObject({ storeType: StoreType.CASTS, name: 'CASTS', limit: 100, used: 1 })
    expect(limits.limits[6]).toMatchObject({ storeType: 7, name: 'STORAGE_LENDS' })
    expect(limits.unitDetails[2]).toMatchObject({
      unitSize: 1,
      purchasedUnitSize: 2,
      lentUnitSize: 1,
      borrowedUnitSize: 0,
    })
    const [{ tierType, expiresAt } = { tierType: 0, expiresAt: 0 }] = limits.tierSubscriptions
    expect([tierType, expiresAt > testNowUnix]).toEqual([TierType.Pro, true])
  })

  test('has roles of addresses', async () => {
    const roles = await unwrapped(client.getFidAddressType({ fid: 1, address: alice.custody }))
    expect(roles).toEqual({ isCustody: true, isAuth: false, isVerified: false })
  })
})

describe('onchain events', () => {
  test('are listed by user and type, with their original bytes', async () => {
    const eventType = OnChainEventType.EVENT_TYPE_STORAGE_RENT
    const { events } = await unwrapped(client.getOnChainEvents({ fid: 1, eventType }))
    expect(events.map(OnChainEvent.toJSON)).toEqual([OnChainEvent.toJSON(chain[2]!)])
  })

  test('have the registration of a fid', async () => {
    const byFid = await unwrapped(client.getIdRegistryOnChainEvent({ fid: 1 }))
    expect(OnChainEvent.toJSON(byFid)).toEqual(OnChainEvent.toJSON(chain[0]!))
    const { custody: address } = alice
    expect(await unwrapped(client.getIdRegistryOnChainEventByAddress({ address }))).toEqual(byFid)
    expect(await refused(client.getIdRegistryOnChainEvent({ fid: 99 }))).toBe(
      'not_found/ID registry event not found',
    )
  })

  test('have active signers, as a list and one by one', async () => {
    const { publicKey: signer } = alice.key
    const { events } = await unwrapped(client.getOnChainSignersByFid({ fid: 1 }))
    expect(events.map(OnChainEvent.toJSON)).toEqual([OnChainEvent.toJSON(chain[1]!)])
    expect(await unwrapped(client.getOnChainSigner({ fid: 1, signer }))).toEqual(events[0])
    expect(await unwrapped(client.getSigner({ fid: 1, signer }))).toMatchObject({
      signer: { source: SignerSource.ONCHAIN, keyType: 1, fid: 1, onchainEvent: events[0] },
    })
    expect(await refused(client.getOnChainSigner({ fid: 2, signer }))).toBe(
      'not_found/Active signer not found',
    )
    expect(await refused(client.getSigner({ fid: 2, signer }))).toBe('not_found/Signer not found')
  })

  test('signers: onchain ones come before those of messages, with the counters for the next', async () => {
    const key = Buffer.alloc(32, 3)
    const grant = alice.message(
      {
        type: MessageType.KEY_ADD,
        keyAddBody: {
          key,
          keyType: 1,
          custodySignature: Buffer.alloc(65),
          deadline: testNow,
          nonce: 4,
          metadata: Buffer.alloc(0),
          metadataType: 1,
          registrationTxHash: Buffer.alloc(0),
          scopes: [MessageType.CAST_ADD],
          ttl: 60,
        },
      },
      testNow - 5,
    )
    await db`
      insert into hub.messages (fid, set, key, ts, hash, type, message)
      values (1, 8, ${key}::bytea, ${testNow - 5}, ${grant.hash}::bytea, 16, ${encodeMessage(grant)}::bytea)
    `
    await db`
      insert into hub.gasless_keys (key, fid, request_fid, scopes, ttl_seconds, last_used_at)
      values (${key}::bytea, 1, 9, '{1}', 60, ${testNow - 2})
    `
    await db`insert into hub.key_nonces (kind, fid, nonce) values (1, 1, 4), (2, 9, 6)`
    const requests = { fid: 1, pageSize: 1, requesterFids: [9, 10] }
    const page = await unwrapped(client.getSignersByFid(requests))
    expect(page).toMatchObject({
      signers: [{ source: SignerSource.ONCHAIN, fid: 1 }],
      gaslessSignerCount: 1,
      gaslessSignerLimit: 1000,
      currentUserNonce: 4,
      requesterFidNonces: { '9': 6, '10': 0 },
    })
    const { nextPageToken: pageToken } = page
    const { signers, nextPageToken } = await unwrapped(client.getSignersByFid({ ...requests, pageToken }))
    expect(nextPageToken).toBeUndefined()
    expect(signers).toMatchObject([
      {
        source: SignerSource.OFFCHAIN,
        keyType: 1,
        fid: 1,
        addedAt: testNowUnix - 5,
        lastUsedAt: testNowUnix - 2,
        ttl: 60,
        expiresAt: testNowUnix + 58,
        scopes: [MessageType.CAST_ADD],
        requestFid: 9,
        nonce: 4,
      },
    ])
  })
})

test('info counts the contents of the hub', async () => {
  const info = await unwrapped(client.getInfo({}))
  expect(info).toMatchObject({
    version: '1.2.3',
    dbStats: { numMessages: 1, numFidRegistrations: 2 },
    numShards: 1,
    shardInfos: [{ shardId: 0 }, { shardId: 1, numMessages: 1, numFidRegistrations: 2 }],
  })
})

describe('the log', () => {
  test('is read by event id', async () => {
    const { events } = await unwrapped(client.getEvents({ startId: 0 }))
    expect(events.map(({ id }) => id)).toEqual(events.map(({ id }) => id).sort((a, b) => a - b))
    const cast = events.at(-1)!
    expect(cast).toMatchObject({
      shardIndex: 1,
      timestamp: testNow,
      mergeMessageBody: { message: { data: { castAddBody: { text: 'hello' } } } },
    })
    expect(cast.blockNumber).toBe(Math.floor(cast.id / 2 ** 14))
    for (const shardIndex of [0, 1]) {
      expect(await unwrapped(client.getEvent({ id: cast.id, shardIndex }))).toEqual(cast)
    }
    expect(await refused(client.getEvent({ id: cast.id + 1, shardIndex: 1 }))).toBe(
      'not_found/Event not found',
    )
    expect(await refused(client.getEvent({ id: cast.id, shardIndex: 2 }))).toContain('Shard not found')
  })

  test('is read in pages, in both directions, between two ids', async () => {
    const all = (await unwrapped(client.getEvents({ startId: 0 }))).events.map(({ id }) => id)
    for (const reverse of [false, true]) {
      const read: number[] = []
      let pageToken: Uint8Array | undefined
      do {
        const page = await unwrapped(client.getEvents({ startId: 0, pageSize: 3, pageToken, reverse }))
        read.push(...page.events.map(({ id }) => id))
        pageToken = page.nextPageToken
      } while (pageToken)
      expect(read).toEqual(reverse ? [...all].reverse() : all)
    }
    const between = { startId: all[1]!, stopId: all[4]! }
    const page = await unwrapped(client.getEvents(between))
    expect(page.events.map(({ id }) => id)).toEqual(all.slice(1, 4))
    const pageToken = Buffer.from('[null,null]')
    expect(await refused(client.getEvents({ startId: 0, pageToken }))).toContain('page_token is for 2 shards')
  })
})
