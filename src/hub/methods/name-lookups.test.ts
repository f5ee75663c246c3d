import { Client, credentials } from '@grpc/grpc-js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase } from '../../../test/database.js'
import { openHubApi } from '../../../test/hub-api.js'
import { openHubGrpc } from '../../../test/hub-grpc.js'
import { nameTransfer, TestUser, testNow, testNowUnix } from '../../../test/network.js'
import { MessageType, Protocol, UserNameProof, UserNameType } from '../../protocol/definitions.js'
import type { SignedMessage } from '../../protocol/message.js'
import { HubServiceService } from '../../protocol/proto/generated/rpc.js'

const { db } = await createTestDatabase()
const api = await openHubApi(db)
const { server } = await openHubGrpc(db, { hub: api.hub })
const client = new Client(server.address, credentials.createInsecure())
afterAll(() => client.close())

const [alice, bob] = [new TestUser(1), new TestUser(2)]
const solana = Buffer.alloc(32, 9)
const shared = bob.custody

function verification(user: TestUser, address: Buffer, protocol: Protocol): SignedMessage {
  const verificationAddAddressBody = {
    address,
    claimSignature: Buffer.alloc(64),
    blockHash: Buffer.alloc(32),
    verificationType: 0,
    chainId: 0,
    protocol,
  }
  return user.message(
    { type: MessageType.VERIFICATION_ADD_ETH_ADDRESS, verificationAddAddressBody },
    testNow - 9,
  )
}

function proof(user: TestUser, name: string, type: UserNameType): SignedMessage {
  const usernameProofBody = UserNameProof.create({
    timestamp: testNowUnix,
    name: Buffer.from(name),
    owner: user.custody,
    fid: user.fid,
    type,
  })
  return user.message({ type: MessageType.USERNAME_PROOF, usernameProofBody }, testNow)
}

beforeAll(async () => {
  await api.hub.submitOnChainEvents([...alice.onChain({ units: 2 }), ...bob.onChain()])
  await api.hub.submitNameTransfers([
    nameTransfer('alice', 1, testNowUnix),
    nameTransfer('gone', 0, testNowUnix),
  ])
  const messages = [
    verification(alice, solana, Protocol.SOLANA),
    verification(alice, shared, Protocol.ETHEREUM),
    proof(alice, 'alice.eth', UserNameType.USERNAME_TYPE_ENS_L1),
    proof(bob, 'bob.base.eth', UserNameType.USERNAME_TYPE_BASENAME),
  ]
  const outcomes = await api.hub.submit(messages, { origin: 'store', trusted: true })
  expect(outcomes).toEqual([null, null, null, null])
})

const hex = (bytes: Buffer) => `0x${bytes.toString('hex')}`

async function get(path: string): Promise<object> {
  const { status, body } = await api.get(`/v1/${path}`)
  return status === 200 ? body : [status, body.error, body.details]
}

/** The decoded reply of a call over gRPC, or the text of its error. */
function call<Name extends 'getFidByName' | 'getAddressesByName' | 'getFidByAddress'>(
  name: Name,
  request: object,
): Promise<unknown> {
  const { path, requestSerialize, responseDeserialize } = HubServiceService[name]
  return new Promise((resolve) => {
    client.makeUnaryRequest(
      path,
      requestSerialize as (value: object) => Buffer,
      (bytes) => responseDeserialize(bytes),
      request,
      (error, reply) => resolve(error?.details ?? reply),
    )
  })
}

describe('fidByName', () => {
  it('finds a name by its ending', async () => {
    expect(await get('fidByName?name=alice')).toEqual({ fid: 1 })
    expect(await get('fidByName?name=alice.eth')).toEqual({ fid: 1 })
    expect(await get('fidByName?name=bob.base.eth')).toEqual({ fid: 2 })
    expect(await call('getFidByName', { name: Buffer.from('bob.base.eth') })).toEqual({ fid: 2 })
  })

  it.each(['fname', 'USERNAME', 'ens', 'ens_l1', 'EnsL1', 'basename', 'Base'])(
    'knows the type %s',
    async (type) => {
      const { status } = await api.get(`/v1/fidByName?name=alice&type=${type}`)
      expect(status).toBe(['fname', 'USERNAME'].includes(type) ? 200 : 404)
    },
  )

  it('looks a name up exactly, and in its type only', async () => {
    const missing = [404, 'Failed to get fid by name', 'username proof not found']
    for (const query of [
      'name=ALICE',
      'name=gone',
      'name=nobody',
      'name=a%00b',
      'name=alice.eth&type=fname',
      'name=alice.eth&type=base',
    ]) {
      expect(await get(`fidByName?${query}`), query).toEqual(missing)
    }
    const byType = { name: Buffer.from('alice.eth'), type: UserNameType.USERNAME_TYPE_FNAME }
    expect(await call('getFidByName', byType)).toBe('not_found/username proof not found')
  })

  it('refuses a request without a name, or with an unknown type', async () => {
    expect(await get('fidByName')).toEqual([400, 'Failed to get fid by name', 'name is required'])
    expect(await get('fidByName?name=alice&type=toString')).toMatchObject([
      400,
      'Failed to get fid by name',
      'type is not known: unknown name type: toString',
    ])
    expect(await call('getFidByName', { name: Buffer.from('a'), type: 9 })).toMatch(/unknown name type: 9/)
    expect(await call('getFidByName', { name: Buffer.alloc(0) })).toMatch(/name is required/)
  })
})

describe('addressesByName', () => {
  it('has the custody address and the verified ones, by their bytes', async () => {
    const connected = [shared, solana].sort(Buffer.compare)
    expect(await get('addressesByName?name=alice.eth')).toEqual({
      fid: 1,
      custodyAddress: hex(alice.custody),
      connectedAddresses: connected.map(hex),
    })
    expect(await call('getAddressesByName', { name: Buffer.from('alice') })).toEqual({
      fid: 1,
      custodyAddress: alice.custody,
      connectedAddresses: connected,
    })
  })

  it('leaves out what is not known', async () => {
    expect(await get('addressesByName?name=bob.base.eth')).toEqual({
      fid: 2,
      custodyAddress: hex(bob.custody),
      connectedAddresses: [],
    })
    expect(await get('addressesByName?name=nobody')).toEqual([
      404,
      'Failed to get addresses by name',
      'username proof not found',
    ])
  })
})

describe('fidByAddress', () => {
  it('has whose custody it is first, then who has verified it', async () => {
    const matches = [
      { fid: 2, isCustody: true, isVerified: false },
      { fid: 1, isCustody: false, isVerified: true },
    ]
    expect(await get(`fidByAddress?address=${hex(shared)}`)).toEqual({ matches })
    expect(await call('getFidByAddress', { address: shared })).toEqual({ matches })
    expect(await get(`fidByAddress?address=${hex(solana)}`)).toEqual({ matches: [matches[1]] })
  })

  it('of an address that nobody has -> 404', async () => {
    expect(await get(`fidByAddress?address=${hex(Buffer.alloc(20, 7))}`)).toEqual([
      404,
      'Failed to get fid by address',
      'no fid found for address',
    ])
    expect(await get('fidByAddress')).toEqual([400, 'Failed to get fid by address', 'address is required'])
  })
})
