import { NeynarAPIClient as Client2, Configuration as Configuration2 } from '@neynar/nodejs-sdk-2'
import { NeynarAPIClient as Client3, Configuration as Configuration3 } from '@neynar/nodejs-sdk-3'
import { getAddress } from 'viem'
import { describe, expect, it } from 'vitest'
import { serveNetwork } from './served-network.ts'

const { url, key, alice, bob, castHash, approve } = await serveNetwork()
const address = `0x${alice.custody.toString('hex')}`
const second = new Client2(new Configuration2({ apiKey: key, basePath: `${url}/v2` }))
const third = new Client3(new Configuration3({ apiKey: key, basePath: url }))

const fidsOf = (users) => users.map(({ fid }) => fid)

describe.each([
  ['2.46.0', second],
  ['3.177.0', third],
])('SDK %s', (version, client) => {
  it('reads users, casts, feeds, channels and notifications', async () => {
    const { users } = await client.fetchBulkUsers({ fids: [1, 2], viewerFid: 2 })
    expect(users).toMatchObject([{ username: 'alice', power_badge: true }, { username: 'bob' }])
    for (const spelled of [address, getAddress(address)]) {
      const byAddress = await client.fetchBulkUsersByEthOrSolAddress({ addresses: [spelled] })
      expect(byAddress).toMatchObject({ [spelled.toLowerCase()]: [{ fid: 1 }] })
    }
    expect((await client.lookupUserByUsername({ username: 'alice' })).user.fid).toBe(1)
    expect((await client.searchUser({ q: 'ali', viewerFid: 2 })).result.users).toMatchObject([{ fid: 1 }])
    expect((await client.fetchBulkCasts({ casts: [castHash] })).result.casts).toHaveLength(1)
    expect(
      (await client.lookupCastConversation({ identifier: castHash, type: 'hash' })).conversation.cast,
    ).toMatchObject({
      hash: castHash,
    })
    const feed = { feedType: 'filter', filterType: 'channel_id', channelId: 'gardens', limit: 5 }
    expect((await client.fetchFeed(feed)).casts).toMatchObject([{ hash: castHash }])
    expect((await client.fetchUserFollowers({ fid: 1 })).users).toMatchObject([{ user: { fid: 2 } }])
    expect(
      (await client.fetchCastReactions({ hash: castHash, types: ['likes', 'recasts'] })).reactions,
    ).toHaveLength(2)
    expect((await client.lookupChannel({ id: 'gardens' })).channel.name).toBe('Gardens')
    const inbox = async () => (await client.fetchAllNotifications({ fid: 1 })).notifications.length
    await expect.poll(inbox).toBe(4)
    await expect(client.fetchFeedForYou({ fid: 1, provider: 'openrank' })).resolves.toHaveProperty('casts')
  })

  it('creates a signer and publishes with it', async () => {
    const { signer_uuid, public_key } = await client.createSigner()
    await approve(bob, public_key)
    expect(await client.lookupSigner({ signerUuid: signer_uuid })).toMatchObject({
      status: 'approved',
      fid: 2,
    })
    const { cast } = await client.publishCast({ signerUuid: signer_uuid, text: `hello from ${version}` })
    const reaction = { signerUuid: signer_uuid, reactionType: 'like', target: cast.hash }
    expect(await client.publishReaction(reaction)).toMatchObject({ success: true })
    expect(await client.deleteReaction(reaction)).toMatchObject({ success: true })
    expect(await client.followUser({ signerUuid: signer_uuid, targetFids: [1] })).toMatchObject({
      success: true,
    })
    expect(await client.deleteCast({ signerUuid: signer_uuid, targetHash: cast.hash })).toMatchObject({
      success: true,
    })
  })

  it('manages a webhook', async () => {
    const subscription = { 'cast.created': { author_fids: [1] } }
    const body = { name: version, url: 'https://example.com/hook', subscription }
    const { webhook } = await client.publishWebhook(body)
    expect(webhook).toMatchObject({ title: version, active: true })
    expect((await client.fetchWebhooks()).webhooks.map(({ title }) => title)).toContain(version)
    expect(await client.deleteWebhook({ webhookId: webhook.webhook_id })).toMatchObject({ success: true })
  })
})

it('SDK 2.46 calls what left the description', async () => {
  expect(fidsOf((await second.fetchPowerUsers({})).users)).toEqual([1])
  expect((await second.fetchPowerUsersLite()).result.fids).toEqual([1])
  expect((await second.fetchComposerActions({ list: 'top' })).actions).toEqual([])
  const trending = await second.fetchFeed({ feedType: 'filter', filterType: 'global_trending' })
  expect(trending.casts).toEqual(expect.any(Array))
})

it('SDK 3 sees an operation that is not served as 501, not as an empty result', async () => {
  const failure = await third.billing().catch((error) => error.response)
  expect(failure.data).toMatchObject({ status: 501, code: 'NotImplemented' })
  expect(failure.data.message).toContain('/portal/organization/billing')
})
