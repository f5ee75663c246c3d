import { Client, credentials, type ServiceError, status } from '@grpc/grpc-js'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { TestChannel } from '../../../../test/channels.js'
import { createTestDatabase } from '../../../../test/database.js'
import { openHubGrpc } from '../../../../test/hub-grpc.js'
import { TestUser, testNow } from '../../../../test/network.js'
import { HubServiceService } from '../../../protocol/proto/generated/rpc.js'
import { hubMethods } from '../hub-methods.js'

/** A look at the end of the log is no statement of a call. */
const NEVER_MS = 3_600_000
const statements: string[] = []
const { db } = await createTestDatabase({
  // The tail begins to listen when its connection is open, which on a slow machine is during a call.
  onStatement: (sql) => sql.startsWith('listen ') || statements.push(sql),
})
const { hub, server } = await openHubGrpc(db, { pollMs: NEVER_MS })
const client = new Client(server.address, credentials.createInsecure())
const user = new TestUser(1)
const hash = Buffer.alloc(20, 0xab)
const castId = { fid: 1, hash }
const channel = new TestChannel('plaza')

beforeAll(async () => {
  await hub.submitOnChainEvents(user.onChain())
  await hub.submit([user.cast('hello', testNow)])
  await channel.register(db)
})
afterAll(() => client.close())

type MethodName = keyof typeof HubServiceService

/** The status of a call. Serializing drops members that the method does not have. */
function call(name: MethodName, request: object): Promise<number> {
  const { path, requestSerialize } = HubServiceService[name]
  const serialize = requestSerialize as (value: object) => Buffer
  return new Promise((resolve) => {
    client.makeUnaryRequest(
      path,
      serialize,
      (bytes) => bytes,
      request,
      (error: ServiceError | null) => resolve(error?.code ?? status.OK),
    )
  })
}

test.each<[MethodName, number, object]>([
  ['getInfo', 1, {}],
  ['getFids', 1, { shardId: 1 }],
  ['getCast', 1, castId],
  ['getCastsByFid', 1, { fid: 1 }],
  ['getCastsByParent', 1, { parentCastId: castId }],
  ['getCastsByMention', 1, { fid: 1 }],
  ['getReaction', 1, { fid: 1, reactionType: 1, targetCastId: castId }],
  ['getReactionsByFid', 1, { fid: 1 }],
  ['getReactionsByCast', 1, { targetCastId: castId }],
  ['getReactionsByTarget', 1, { targetUrl: 'https://x.example' }],
  ['getLink', 1, { fid: 1, linkType: 'follow', targetFid: 2 }],
  ['getLinksByFid', 1, { fid: 1 }],
  ['getLinksByTarget', 1, { linkType: 'follow', targetFid: 2 }],
  ['getLinkCompactStateMessageByFid', 1, { fid: 1 }],
  ['getUserData', 1, { fid: 1, userDataType: 1 }],
  ['getUserDataByFid', 1, { fid: 1 }],
  ['getVerification', 1, { fid: 1, address: hash }],
  ['getVerificationsByFid', 1, { fid: 1 }],
  ['getUsernameProof', 1, { name: Buffer.from('alice') }],
  ['getUserNameProofsByFid', 1, { fid: 1 }],
  ['getCurrentStorageLimitsByFid', 1, { fid: 1 }],
  ['getFidAddressType', 1, { fid: 1, address: hash }],
  ['getFidByName', 1, { name: Buffer.from('alice') }],
  ['getAddressesByName', 1, { name: Buffer.from('alice') }],
  ['getFidByAddress', 1, { address: hash }],
  ['getOnChainSigner', 1, { fid: 1, signer: hash }],
  ['getOnChainSignersByFid', 1, { fid: 1 }],
  ['getSigner', 1, { fid: 1, signer: hash }],
  // One for the list, one for the counters.
  ['getSignersByFid', 2, { fid: 1, requesterFids: [2] }],
  ['getOnChainEvents', 1, { fid: 1, eventType: 1 }],
  ['getIdRegistryOnChainEvent', 1, { fid: 1 }],
  ['getIdRegistryOnChainEventByAddress', 1, { address: hash }],
  ['getAllCastMessagesByFid', 1, { fid: 1, startTimestamp: 1 }],
  ['getEvent', 1, { id: 16384, shardIndex: 1 }],
  ['getEvents', 1, { startId: 0 }],
  ['getConnectedPeers', 0, {}],
  ['getChannelOwner', 1, { channelKey: 'plaza' }],
  ['getChannelsByAddress', 1, { ownerAddress: hash }],
  ['getChannelsByFid', 1, { fid: 1 }],
  ['getChannelMember', 1, { channelId: channel.id, fid: 1 }],
  // One for the registry, one for the list.
  ['getChannelMembers', 2, { channelId: channel.id }],
  ['getChannelPin', 1, { channelId: channel.id }],
  ['getChannelModerations', 2, { channelId: channel.id }],
  ['getChannelMetadata', 1, { channelId: channel.id }],
  ['getChannelMembershipsByFid', 1, { fid: 1 }],
  ['getChannelFollowers', 1, { channelId: channel.id }],
  ['getChannelFollowerCount', 1, { channelId: channel.id }],
  ['getChannelFollows', 1, { fid: 1 }],
  ['isFollowingChannel', 1, { fid: 1, channelId: channel.id }],
])('%s takes %i statements', async (name, count, request) => {
  statements.length = 0
  expect([status.OK, status.NOT_FOUND]).toContain(await call(name, request))
  expect(statements).toHaveLength(count)
})

const number = fc.oneof(fc.nat(20), fc.constantFrom(2 ** 31 - 1, 2 ** 32 - 1), fc.nat())
const long = fc.oneof(number, fc.constantFrom(Number.MAX_SAFE_INTEGER, 2 ** 53, 2 ** 63))
const bytes = fc.oneof(
  fc.constantFrom(0, 8, 12, 20, 24, 32).map((length) => Buffer.alloc(length, 1)),
  fc.uint8Array({ maxLength: 40 }).map((array) => Buffer.from(array)),
)
const maybe = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined })
const someCastId = maybe(fc.record({ fid: long, hash: bytes }))
const url = maybe(fc.string({ unit: 'binary', maxLength: 300 }))

/** Every member of every request. */
const requests = fc.record({
  fid: long,
  hash: bytes,
  shardId: number,
  shardIndex: maybe(number),
  id: long,
  startId: long,
  stopId: maybe(long),
  pageSize: maybe(fc.oneof(fc.nat(20), number)),
  pageToken: maybe(bytes),
  reverse: maybe(fc.boolean()),
  startTimestamp: maybe(long),
  stopTimestamp: maybe(long),
  parentCastId: someCastId,
  parentUrl: url,
  targetCastId: someCastId,
  targetUrl: url,
  reactionType: number,
  linkType: fc.string({ unit: 'binary' }),
  targetFid: maybe(long),
  userDataType: number,
  eventType: number,
  address: bytes,
  signer: bytes,
  name: bytes,
  requesterFids: fc.array(long, { maxLength: 3 }),
  channelKey: fc.string({ unit: 'binary' }),
  ownerAddress: bytes,
  channelId: bytes,
  stateFilter: maybe(number),
  validatorsOnly: fc.boolean(),
  ttl: number,
  visitedPeerIds: fc.array(bytes, { maxLength: 3 }),
})

const reads = hubMethods.flatMap(({ grpc }) => (grpc?.startsWith('get') ? [grpc] : []))

test('no request -> internal error', async () => {
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...reads), requests, async (name, request) => {
      const shown = { ...request, shardIndex: request.shardIndex ?? 0 }
      const code = await call(name, name === 'getEvent' ? shown : request)
      expect([status.INTERNAL, status.UNKNOWN, status.UNAVAILABLE]).not.toContain(code)
    }),
    { numRuns: 300 },
  )
})
