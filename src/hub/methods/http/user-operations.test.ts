import { beforeAll, describe, expect, test } from 'vitest'
import { createTestDatabase } from '../../../../test/database.js'
import { openHubApi } from '../../../../test/hub-api.js'
import { nameTransfer, TestUser, testNow, testNowUnix } from '../../../../test/network.js'
import { encodeMessage } from '../../../protocol/codec.js'
import {
  MessageType,
  type Protocol,
  UserDataType,
  UserNameProof,
  UserNameType,
} from '../../../protocol/definitions.js'
import type { SignedMessage } from '../../../protocol/message.js'

const { db } = await createTestDatabase()
const api = await openHubApi(db)
const [alice, bob] = [new TestUser(1), new TestUser(2)]

const bio = alice.userData(UserDataType.BIO, 'hello', testNow - 20)
const location = alice.userData(UserDataType.LOCATION, 'geo:1.00,2.00', testNow - 19)
const cast = alice.cast('hello', testNow - 18)

beforeAll(async () => {
  const chain = [...alice.onChain({ units: 2 }), ...bob.onChain(), alice.proPurchaseEvent(30)]
  await api.hub.submitOnChainEvents(chain)
  await api.hub.submitNameTransfers([nameTransfer('alice', 1, testNowUnix - 50)])
  expect(await api.hub.submit([bio, location, cast])).toEqual([null, null, null])
})

function hex(message: SignedMessage): string {
  return `0x${message.hash.toString('hex')}`
}

/** The hashes of a list, in order. */
async function list(path: string): Promise<string[]> {
  const { status, body, text } = await api.get(path)
  expect([status, body?.nextPageToken], text).toEqual([200, ''])
  return body.messages.map((message: { hash: string }) => message.hash)
}

async function one(path: string): Promise<string> {
  const { status, body, text } = await api.get(path)
  expect(status, text).toBe(200)
  return body.hash
}

async function missing(path: string): Promise<string> {
  const { status, body } = await api.get(path)
  expect([status, body.errCode, body.metadata.errcode]).toEqual([404, 'not_found', ['not_found']])
  return body.details
}

describe('a user', () => {
  test('has profile fields, as a list and one by one', async () => {
    expect(await list('/v1/userDataByFid?fid=1')).toEqual([hex(bio), hex(location)])
    expect(await one('/v1/userDataByFid?fid=1&user_data_type=USER_DATA_TYPE_BIO')).toBe(hex(bio))
    expect(await one('/v1/userDataByFid?fid=1&user_data_type=7')).toBe(hex(location))
    expect(await missing('/v1/userDataByFid?fid=1&user_data_type=1')).toBe('user data not found')
  })

  test('finds the proofs of names by name and by fid', async () => {
    const proof = {
      timestamp: testNowUnix - 50,
      name: 'alice',
      owner: `0x${'01'.repeat(20)}`,
      signature: expect.any(String),
      fid: 1,
      type: 'USERNAME_TYPE_FNAME',
    }
    expect((await api.get('/v1/userNameProofByName?name=alice')).body).toEqual(proof)
    expect((await api.get('/v1/userNameProofsByFid?fid=1')).body).toEqual({ proofs: [proof] })
    expect((await api.get('/v1/userNameProofsByFid?fid=2')).body).toEqual({ proofs: [] })
    expect(await missing('/v1/userNameProofByName?name=nobody')).toBe('Username proof not found')
    expect(await missing('/v1/userNameProofByName?name=nobody.eth')).toBe('ENS username proof not found')
    expect(await missing('/v1/userNameProofByName?name=a%00b')).toBe('Username proof not found')
  })

  test('has names from ENS before those of the registry, also if they came without a message', async () => {
    const synced = { timestamp: testNowUnix, name: Buffer.from('bob.eth'), owner: Buffer.alloc(20, 1) }
    const proof = { ...synced, signature: Buffer.alloc(65), fid: 1, type: UserNameType.USERNAME_TYPE_ENS_L1 }
    await db`
      insert into hub.username_proofs (name, fid, type, ts, proof)
      values ('bob.eth', 1, 2, ${testNowUnix}, ${Buffer.from(UserNameProof.encode(proof).finish())})
    `
    const { body } = await api.get('/v1/userNameProofsByFid?fid=1')
    expect(body.proofs.map(({ name }: { name: string }) => name)).toEqual(['bob.eth', 'alice'])
    await db`delete from hub.username_proofs where name = 'bob.eth'`
  })

  test('is listed by shard, with an empty token at the end', async () => {
    const all = { fids: [1, 2], nextPageToken: '' }
    expect((await api.get('/v1/fids?shard_id=1')).body).toEqual(all)
    // A hub with one shard needs no choice.
    expect((await api.get('/v1/fids')).body).toEqual(all)
    expect((await api.get('/v1/fids?shard_id=1&reverse=true&pageSize=1')).body).toEqual({
      fids: [2],
      nextPageToken: 'AAAAAAAAAAI=',
    })
    const next = '/v1/fids?shard_id=1&reverse=true&page_size=1&page_token=AAAAAAAAAAI='
    expect((await api.get(next)).body).toEqual({ fids: [1], nextPageToken: '' })
  })

  test('has storage limits and usage', async () => {
    const limit = (storeType: string, name: string, most: number, used: number) => ({
      storeType,
      name,
      limit: most,
      used,
      earliestTimestamp: 0,
      earliestHash: [],
    })
    const { body } = await api.get('/v1/storageLimitsByFid?fid=1')
    expect(body).toEqual({
      limits: [
        limit('Casts', 'CASTS', 200, 1),
        limit('Links', 'LINKS', 400, 0),
        limit('Reactions', 'REACTIONS', 400, 0),
        limit('UserData', 'USER_DATA', 50, 2),
        limit('Verifications', 'VERIFICATIONS', 10, 0),
        limit('UsernameProofs', 'USERNAME_PROOFS', 4, 0),
        limit('None', 'STORAGE_LENDS', 2, 0),
      ],
      units: 2,
      unitDetails: [
        { unitType: 'UnitTypeLegacy', unitSize: 0 },
        { unitType: 'UnitType2024', unitSize: 0 },
        { unitType: 'UnitType2025', unitSize: 2 },
      ],
      tier_subscriptions: [{ tier_type: 'Pro', expires_at: expect.any(Number) }],
    })
    expect(body.tier_subscriptions[0].expires_at).toBeGreaterThan(testNowUnix)
    const stranger = (await api.get('/v1/storageLimitsByFid?fid=99')).body
    expect([stranger.units, stranger.limits[0].limit]).toEqual([0, 0])
  })

  test('has lent and borrowed storage', async () => {
    await db`insert into hub.storage_loans (from_fid, to_fid, unit_type, units) values (1, 2, 2, 1)`
    const units = async (fid: number) => {
      const { body } = await api.get(`/v1/storageLimitsByFid?fid=${fid}`)
      return [body.units, body.limits[0].limit, body.limits[6].limit]
    }
    expect(await units(1)).toEqual([1, 100, 2])
    expect(await units(2)).toEqual([2, 200, 1])
    await db`delete from hub.storage_loans`
  })
})

describe('addresses', () => {
  const address = Buffer.alloc(20, 0xab)
  const solana = Buffer.alloc(32, 7)

  beforeAll(async () => {
    const verify = (bytes: Buffer, protocol: Protocol, at: number) =>
      alice.message(
        {
          type: MessageType.VERIFICATION_ADD_ETH_ADDRESS,
          verificationAddAddressBody: {
            address: bytes,
            claimSignature: Buffer.alloc(65),
            blockHash: Buffer.alloc(32),
            verificationType: 0,
            chainId: 0,
            protocol,
          },
        },
        at,
      )
    for (const message of [verify(address, 0, testNow - 10), verify(solana, 1, testNow - 9)]) {
      await db`
        insert into hub.messages (fid, set, key, ts, hash, type, message)
        values (
          1, 4, ${Buffer.from(message.data.verificationAddAddressBody!.address)}::bytea,
          ${message.data.timestamp}, ${message.hash}::bytea, 7, ${encodeMessage(message)}::bytea
        )
      `
    }
  })

  test('that are verified are listed, all or only one', async () => {
    expect(await list('/v1/verificationsByFid?fid=1')).toHaveLength(2)
    expect(
      await list(`/v1/verificationsByFid?fid=1&address=0x${address.toString('hex').toUpperCase()}`),
    ).toHaveLength(1)
    expect(
      await list('/v1/verificationsByFid?fid=1&address=US517G5965aydkZ46HS38QLi7UQiSojurfbQfKCELFx'),
    ).toHaveLength(1)
    expect(await list(`/v1/verificationsByFid?fid=2&address=0x${address.toString('hex')}`)).toEqual([])
  })

  test('have the roles custody, authentication and verified', async () => {
    const roles = async (bytes: Buffer) =>
      (await api.get(`/v1/fidAddressType?fid=1&address=0x${bytes.toString('hex')}`)).body
    expect(await roles(alice.custody)).toEqual({ is_custody: true, is_auth: false, is_verified: false })
    expect(await roles(address)).toEqual({ is_custody: false, is_auth: false, is_verified: true })
    expect(await roles(Buffer.alloc(20, 1))).toEqual({
      is_custody: false,
      is_auth: false,
      is_verified: false,
    })
    await db`
      insert into hub.signers (fid, key, key_type, active, block_number, log_index, event)
      values (1, ${Buffer.alloc(20, 1)}::bytea, 2, true, 1, 1, '\\x')
    `
    expect(await roles(Buffer.alloc(20, 1))).toEqual({ is_custody: false, is_auth: true, is_verified: false })
    await db`
      insert into hub.signers (fid, key, key_type, active, block_number, log_index, event)
      values (1, ${Buffer.concat([Buffer.alloc(12), Buffer.alloc(20, 2)])}::bytea, 2, true, 1, 2, '\\x')
    `
    expect(await roles(Buffer.alloc(20, 2))).toEqual({ is_custody: false, is_auth: true, is_verified: false })
  })
})

describe('onchain events', () => {
  test('are listed by user and type', async () => {
    const { body } = await api.get('/v1/onChainEventsByFid?fid=1&event_type=EVENT_TYPE_STORAGE_RENT')
    expect(body.events).toHaveLength(1)
    expect(body.events[0].storageRentEventBody.units).toBe(2)
    expect((await api.get('/v1/onChainEventsByFid?fid=1&event_type=5')).body.events[0]).toMatchObject({
      type: 'EVENT_TYPE_TIER_PURCHASE',
      tier_purchase_event_body: { for_days: 30, tier_type: 'Pro' },
    })
    expect((await api.get('/v1/onChainEventsByFid?fid=9&event_type=1')).body).toEqual({ events: [] })
  })

  test('have the registration of the fid of an address', async () => {
    const { body } = await api.get(
      `/v1/onChainIdRegistryEventByAddress?address=0x${alice.custody.toString('hex')}`,
    )
    expect(body).toMatchObject({ fid: 1, idRegisterEventBody: { eventType: 'Register' } })
    expect(await missing(`/v1/onChainIdRegistryEventByAddress?address=${'00'.repeat(20)}`)).toContain(
      'no id-registry event',
    )
  })

  test('have active signers, as a list and one by one', async () => {
    const key = `0x${alice.key.publicKey.toString('hex')}`
    const event = { type: 'EVENT_TYPE_SIGNER', fid: 1, signerEventBody: { key } }
    expect((await api.get('/v1/onChainSignersByFid?fid=1')).body).toMatchObject({ events: [event] })
    expect((await api.get(`/v1/onChainSignersByFid?fid=1&signer=${key}`)).body).toMatchObject(event)
    expect(await missing('/v1/onChainSignersByFid?fid=1&signer=0x01')).toBe('Active signer not found')
    expect((await api.get(`/v1/signer?fid=1&signer=${key}`)).body).toMatchObject({
      signer: { source: 'SIGNER_SOURCE_ONCHAIN', key, keyType: 1, fid: 1, onChainEvent: event },
    })
    expect(await missing('/v1/signer?fid=2&signer=0x01')).toBe('Signer not found')
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
    const { body } = await api.get('/v1/signersByFid?fid=1&requesterFids=9&requesterFids=10')
    expect(body).toMatchObject({
      signers: [
        { source: 'SIGNER_SOURCE_ONCHAIN', fid: 1 },
        {
          source: 'SIGNER_SOURCE_OFFCHAIN',
          key: `0x${'03'.repeat(32)}`,
          keyType: 1,
          fid: 1,
          addedAt: testNowUnix - 5,
          lastUsedAt: testNowUnix - 2,
          ttl: 60,
          expiresAt: testNowUnix + 58,
          scopes: ['MESSAGE_TYPE_CAST_ADD'],
          requestFid: 9,
          nonce: 4,
        },
      ],
      gaslessSignerCount: 1,
      gaslessSignerLimit: 1000,
      currentUserNonce: 4,
      requesterFidNonces: { '9': 6, '10': 0 },
    })
    const first = (await api.get('/v1/signersByFid?fid=1&pageSize=1')).body
    const token = encodeURIComponent(first.nextPageToken)
    const second = (await api.get(`/v1/signersByFid?fid=1&pageSize=1&pageToken=${token}`)).body
    expect([first.signers[0].source, second.signers[0].source]).toEqual([
      'SIGNER_SOURCE_ONCHAIN',
      'SIGNER_SOURCE_OFFCHAIN',
    ])
    expect(second.nextPageToken).toBeUndefined()
  })
})

test('info counts the contents of the hub', async () => {
  const { body, text } = await api.get('/v1/info')
  expect(body).toMatchObject({
    dbStats: { numFidRegistrations: 2 },
    numShards: 1,
    shardInfos: [{ shardId: 0 }, { shardId: 1, numFidRegistrations: 2, blockDelay: 0, mempoolSize: 0 }],
    version: '1.2.3',
    peer_id: '',
    nextEngineVersionTimestamp: 0,
  })
  expect(body.dbStats.numMessages).toBe(body.shardInfos[1].numMessages)
  expect(body.dbStats.numMessages).toBe(3)
  expect(text.indexOf('"dbStats"')).toBeLessThan(text.indexOf('"numShards"'))
  expect((await api.get('/v1/info?dbstats=0')).body.dbStats).toBeUndefined()
})
