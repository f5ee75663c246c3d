import { eip712 } from '@farcaster/core'
import {
  FetchUserFollowersSortTypeEnum,
  FetchUserInteractionsTypeEnum,
  FetchUserReciprocalFollowersSortTypeEnum,
} from '@neynar/nodejs-sdk/build/api/index.js'
import { expect, it } from 'vitest'
import { saveChannel } from '../../src/features/channels/channels.js'
import { uncachedWriter } from '../../src/graph/cache/invalidation.js'
import {
  FarcasterNetwork,
  MessageType,
  UserDataType,
  VerificationAddAddressBody,
} from '../../src/protocol/definitions.js'
import { sampleAccount } from '../../src/protocol/testing/sample-claims.js'
import { nameTransfer, TestUser, testNow, testNowUnix } from '../network.js'
import { serveApi } from './served-api.js'

const { hub, client, db } = await serveApi()
const people = [1, 2, 3, 4].map((fid) => new TestUser(fid))
const [alice, bob, carol, dan] = people as [TestUser, TestUser, TestUser, TestUser]

const address = sampleAccount.address.toLowerCase()
const custodyOf = (user: TestUser) => `0x${user.custody.toString('hex')}`

async function verification(user: TestUser) {
  const blockHash = Buffer.alloc(32, 1)
  const claim = await sampleAccount.signTypedData({
    domain: eip712.EIP_712_FARCASTER_DOMAIN,
    types: { VerificationClaim: eip712.EIP_712_FARCASTER_VERIFICATION_CLAIM },
    primaryType: 'VerificationClaim',
    message: {
      fid: BigInt(user.fid),
      address: sampleAccount.address,
      blockHash: `0x${blockHash.toString('hex')}`,
      network: FarcasterNetwork.DEVNET,
    },
  })
  const verificationAddAddressBody = VerificationAddAddressBody.create({
    address: Buffer.from(address.slice(2), 'hex'),
    claimSignature: Buffer.from(claim.slice(2), 'hex'),
    blockHash,
  })
  return user.message(
    { type: MessageType.VERIFICATION_ADD_ETH_ADDRESS, verificationAddAddressBody },
    testNow - 5,
  )
}

const byAlice = alice.cast('roses', testNow - 100)
const reply = bob.cast('lovely', testNow - 90, { parentCastId: { fid: 1, hash: byAlice.hash } })
const byBob = bob.cast('tulips', testNow - 80)

await hub.submitOnChainEvents(people.flatMap((user) => user.onChain()))
await hub.submitNameTransfers(
  ['alice', 'alina', 'bob'].map((name, index) => nameTransfer(name, [1, 3, 2][index]!, testNowUnix - 500)),
)
const outcomes = await hub.submit([
  alice.userData(UserDataType.USERNAME, 'alice', testNow),
  carol.userData(UserDataType.USERNAME, 'alina', testNow),
  bob.userData(UserDataType.USERNAME, 'bob', testNow),
  alice.userData(UserDataType.DISPLAY, 'Alice 🌱', testNow),
  alice.userData(UserDataType.TWITTER, 'alice_on_x', testNow),
  alice.userData(UserDataType.LOCATION, 'geo:46.95,7.45', testNow),
  await verification(alice),
  ...[byAlice, reply, byBob, alice.react(byBob, testNow - 70)],
  alice.link(2, testNow - 40),
  bob.link(1, testNow - 30),
  carol.link(1, testNow - 20),
  bob.link(3, testNow - 10),
  bob.link(4, testNow - 10),
  dan.link(3, testNow - 10),
])
expect(outcomes.filter((outcome) => outcome !== null)).toEqual([])
const url = 'https://example.com/~/channel/gardens'
await saveChannel(
  uncachedWriter(db),
  {
    id: 'gardens',
    name: 'Gardens',
    lead_fid: 2,
    parent_url: url,
    followers: [{ fid: 1, followed_at: 10 }],
  },
  testNowUnix,
)

const fidsOf = (users: readonly { fid: number }[]) => users.map(({ fid }) => fid)
const inner = (followers: readonly { user: { fid: number } }[]) => fidsOf(followers.map(({ user }) => user))

it('finds users by fid, name, address, X name and place', async () => {
  const { users } = await client.fetchBulkUsers({ fids: [2, 1, 77], viewerFid: 1 })
  expect(users).toMatchObject([
    { fid: 2, username: 'bob', follower_count: 1, viewer_context: { following: true, followed_by: true } },
    {
      fid: 1,
      username: 'alice',
      display_name: 'Alice 🌱',
      custody_address: custodyOf(alice),
      follower_count: 2,
      verifications: [address],
      verified_accounts: [{ platform: 'x', username: 'alice_on_x' }],
      profile: { location: { latitude: 46.95, longitude: 7.45 } },
    },
  ])
  expect((await client.lookupUserByUsername({ username: 'alice', viewerFid: 2 })).user).toMatchObject({
    fid: 1,
    viewer_context: { following: true },
  })
  expect((await client.lookupUserByCustodyAddress({ custodyAddress: custodyOf(bob) })).user.fid).toBe(2)
  expect(fidsOf((await client.lookupUsersByXUsername({ xUsername: 'alice_on_x' })).users)).toEqual([1])
  const near = await client.fetchUsersByLocation({ latitude: 46.9, longitude: 7.4, limit: 5 })
  expect(fidsOf(near.users)).toEqual([1])
  await expect(client.lookupUserByUsername({ username: 'nobody' })).rejects.toMatchObject({
    response: { status: 404, data: { property: 'username' } },
  })
})

it('finds users by many addresses at once', async () => {
  const found = await client.fetchBulkUsersByEthOrSolAddress({
    addresses: [address, custodyOf(bob), `0x${'00'.repeat(20)}`],
  })
  expect(Object.keys(found)).toEqual([address, custodyOf(bob)])
  expect([fidsOf(found[address]!), fidsOf(found[custodyOf(bob)]!)]).toEqual([[1], [2]])
})

it('lists verified addresses and the channels that a user follows', async () => {
  const { verifications } = await client.fetchVerifications({ fid: 1 })
  expect(verifications).toMatchObject([
    { address, protocol: 'evm', verified_at: new Date((testNowUnix - 5) * 1000).toISOString() },
  ])
  const { channels } = await client.fetchUserChannels({ fid: 1, limit: 10 })
  expect(channels).toMatchObject([{ id: 'gardens', parent_url: url, lead: { fid: 2 } }])
})

it('searches users', async () => {
  const first = await client.searchUser({ q: 'ali', limit: 1, viewerFid: 2 })
  expect(first.result.users).toMatchObject([{ fid: 1, viewer_context: { following: true } }])
  const cursor = first.result.next?.cursor ?? ''
  const second = await client.searchUser({ q: 'ali', limit: 1, viewerFid: 2, cursor })
  expect(fidsOf(second.result.users)).toEqual([3])
  expect(fidsOf((await client.searchUser({ q: 'alice' })).result.users)[0]).toBe(1)
})

it('lists follows', async () => {
  expect(inner((await client.fetchUserFollowers({ fid: 1, viewerFid: 2 })).users)).toEqual([3, 2])
  const algorithmic = { fid: 1, sortType: FetchUserFollowersSortTypeEnum.Algorithmic }
  expect(inner((await client.fetchUserFollowers(algorithmic)).users)).toEqual([3, 2])
  const first = await client.fetchUserFollowing({ fid: 2, limit: 2 })
  expect(inner(first.users)).toEqual([4, 3])
  const rest = await client.fetchUserFollowing({ fid: 2, limit: 2, cursor: first.next.cursor ?? '' })
  expect([inner(rest.users), rest.next.cursor]).toEqual([[1], null])
  const sortType = FetchUserReciprocalFollowersSortTypeEnum.DescChron
  const mutual = await client.fetchUserReciprocalFollowers({ fid: 1, sortType })
  expect(mutual.users).toMatchObject([
    { user: { fid: 2 }, timestamp: new Date((testNowUnix - 30) * 1000).toISOString() },
  ])
  const relevant = await client.fetchRelevantFollowers({ targetFid: 3, viewerFid: 1 })
  expect(inner(relevant.top_relevant_followers_hydrated)).toEqual([2])
  expect(inner(relevant.all_relevant_followers_dehydrated)).toEqual([2])
  expect(fidsOf((await client.fetchFollowSuggestions({ fid: 1, limit: 5 })).users)).toEqual([3, 4])
})

it('tells who has to do with whom', async () => {
  const { users } = await client.getUserBestFriends({ fid: 1 })
  expect(users).toEqual([{ fid: 2, username: 'bob', mutual_affinity_score: Math.sqrt(3) }])
  const { interactions } = await client.fetchUserInteractions({ fids: [1, 2] })
  expect(interactions.map(({ type }) => type)).toEqual(['follows', 'follows', 'likes', 'reply'])
  const likes = await client.fetchUserInteractions({
    fids: [1, 2],
    type: [FetchUserInteractionsTypeEnum.Likes],
  })
  expect(likes.interactions).toMatchObject([{ cast: { text: 'tulips' }, reactions: [{ user: { fid: 1 } }] }])
})
