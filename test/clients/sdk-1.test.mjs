import { NeynarAPIClient as Client121 } from '@neynar/nodejs-sdk-1-21'
import { NeynarAPIClient as Client171 } from '@neynar/nodejs-sdk-1-71'
import { getAddress } from 'viem'
import { describe, expect, it } from 'vitest'
import { serveNetwork } from './served-network.ts'

const { url, key, alice, bob, castHash, approve } = await serveNetwork()
const address = `0x${alice.custody.toString('hex')}`
const options = { basePath: url, logger: { debug() {}, info() {}, warn() {}, error() {} } }
const first = new Client121(key, options)
const last = new Client171(key, options)

const fidsOf = (users) => users.map(({ fid }) => fid)

describe.each([
  ['1.21.1', first],
  ['1.71.0', last],
])('SDK %s', (version, client) => {
  it('looks users up by version 1', async () => {
    const { user } = (await client.lookupUserByFid(1, 2)).result
    expect(user).toMatchObject({
      fid: 1,
      username: 'alice',
      displayName: 'Alice',
      custodyAddress: address,
      verifications: [address],
      viewerContext: { following: true, followedBy: true },
    })
    expect((await client.lookupUserByUsername('alice')).result.user.fid).toBe(1)
    expect((await client.lookupUserByVerification(address)).result.user.fid).toBe(1)
    expect((await client.lookupCustodyAddressForUser(1)).result.custodyAddress).toBe(address)
    expect((await client.fetchUserVerifications(1)).result.verifications).toEqual([address])
    expect(fidsOf((await client.fetchRecentUsers({ limit: 2 })).result.users)).toEqual([2, 1])
    expect(fidsOf((await client.fetchUserFollowers(1)).result.users)).toEqual([2])
    expect(fidsOf((await client.fetchUserFollowing(1)).result.users)).toEqual([2])
    await expect(client.lookupUserByFid(404)).rejects.toMatchObject({ response: { status: 404 } })
  })

  it('looks casts up by version 1', async () => {
    const { cast } = (await client.lookUpCastByHash(castHash, { viewerFid: 2 })).result
    expect(cast).toMatchObject({
      hash: castHash,
      text: 'tomatoes in the garden',
      reactions: { count: 1, fids: [2], fnames: ['bob'] },
      recasters: ['bob'],
      viewerContext: { liked: true, recasted: true },
    })
    expect((await client.fetchAllCastsCreatedByUser(1)).result.casts).toHaveLength(1)
    expect((await client.fetchAllCastsInThread(castHash)).result.casts).toHaveLength(2)
    expect((await client.fetchRecentCasts({ limit: 1 })).result.casts[0].text).toBe('an answer')
    expect((await client.fetchAllCastsLikedByUser(2)).result.likes).toMatchObject([{ cast: { cast_fid: 1 } }])
  })

  it('reads notifications by version 1', async () => {
    const replies = async () => (await client.fetchMentionAndReplyNotifications(1, {})).result.notifications
    await expect.poll(replies).toMatchObject([{ type: 'cast-reply', text: 'an answer' }])
    const reactions = async () => (await client.fetchUserLikesAndRecasts(1, {})).result.notifications
    await expect.poll(reactions).toMatchObject([
      { hash: castHash, reactionType: 'recast', reactors: [{ fid: 2 }] },
      { hash: castHash, reactionType: 'like', reactors: [{ fid: 2 }] },
    ])
  })

  it('reads version 2', async () => {
    const { users } = await client.fetchBulkUsers([1, 2], { viewerFid: 2 })
    expect(users).toMatchObject([{ username: 'alice', power_badge: true }, { username: 'bob' }])
    for (const spelled of [address, getAddress(address)]) {
      const byAddress = await client.fetchBulkUsersByEthereumAddress([spelled])
      expect(byAddress).toMatchObject({ [spelled.toLowerCase()]: [{ fid: 1 }] })
    }
    expect((await client.searchUser('ali', 2)).result.users).toMatchObject([{ fid: 1 }])
    expect((await client.lookUpCastByHashOrWarpcastUrl(castHash, 'hash')).cast.hash).toBe(castHash)
    expect((await client.fetchFeed('following', { fid: 2 })).casts).not.toEqual([])
    const filter = { filterType: 'channel_id', channelId: 'gardens', limit: 5 }
    expect((await client.fetchFeed('filter', filter)).casts).toMatchObject([{ hash: castHash }])
    const trending = await client.fetchFeed('filter', { filterType: 'global_trending' })
    expect(trending.casts).toEqual(expect.any(Array))
    expect((await client.fetchAllNotifications(1)).notifications).not.toEqual([])
    expect((await client.lookupChannel('gardens')).channel.name).toBe('Gardens')
    expect((await client.fetchReactionsForCast(castHash, 'likes')).reactions).toHaveLength(1)
    expect(fidsOf((await client.fetchPowerUsers({})).users)).toEqual([1])
  })

  it('creates a signer and publishes with it', async () => {
    const { signer_uuid, public_key } = await client.createSigner()
    await approve(bob, public_key)
    expect(await client.lookupSigner(signer_uuid)).toMatchObject({ status: 'approved', fid: 2 })
    const cast = await client.publishCast(signer_uuid, `hello from ${version}`, { channelId: 'gardens' })
    expect(cast).toMatchObject({ hash: expect.stringMatching(/^0x/), author: { fid: 2 } })
    expect(await client.publishReactionToCast(signer_uuid, 'like', cast.hash)).toMatchObject({
      success: true,
    })
    expect(await client.deleteReactionFromCast(signer_uuid, 'like', cast.hash)).toMatchObject({
      success: true,
    })
    expect(await client.followUser(signer_uuid, [1])).toMatchObject({ success: true })
    expect(await client.deleteCast(signer_uuid, cast.hash)).toMatchObject({ success: true })
  })
})

it('SDK 1.21.1 calls what 1.71 had left', async () => {
  expect((await first.fetchCastLikes(castHash)).result.likes).toMatchObject([{ reactor: { fid: 2 } }])
  expect((await first.fetchRecasters(castHash)).result.users).toMatchObject([{ fid: 2 }])
  expect(fidsOf((await first.fetchActiveUsers({})).users)).toEqual([1])
  const active = await first.fetchActiveUsersInSingleChannel('gardens', true, { hasReplyAuthors: true })
  expect(fidsOf(active.users)).toEqual([1, 2])
})
