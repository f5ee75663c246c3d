import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, expect, it } from 'vitest'
import { createTestApi } from '../../src/app/testing/test-api.js'
import { addressClaim, wallet } from '../../src/features/publishing/routes/testing/address-claim.js'
import { createPublishingNetwork } from '../../src/features/publishing/routes/testing/publishing-network.js'
import { messageJson } from '../../src/hub/methods/json/message.js'
import { createNetClient } from '../../src/platform/outbound/net-client.js'
import { toProtobuf } from '../../src/protocol/codec.js'
import { testNow, testNowUnix } from '../network.js'
import { connectClient } from './served-api.js'

const net = createNetClient({ policy: { allowHttp: true, allowLoopback: true }, userAgent: 'plaza test' })
const { db, api, users, signers } = await createPublishingNetwork({ net })
const [alice] = users
const [signerUuid] = signers
const client = connectClient(await api.app.listen({ host: '127.0.0.1', port: 0 }), api.key)
afterAll(async () => {
  await api.app.close()
  await net.close()
})
await db`
  insert into channels.channels (id, url, parent_url, name, lead_fid, created_at)
  values ('gardens', 'https://a.example/c', 'https://a.example/c', 'Gardens', 1, 1700000000)`
await db`insert into channels.urls (url, channel_id) values ('https://a.example/c', 'gardens')`

const lookUp = async (identifier: string, viewerFid?: number) =>
  (await client.lookupCastByHashOrUrl({ identifier, type: 'hash', ...(viewerFid ? { viewerFid } : {}) })).cast

it('publishes a cast, replies to it, quotes it, and deletes it', async () => {
  const { cast: question } = await client.publishCast({
    signerUuid,
    text: 'which flowers, @bob?',
    channelId: 'gardens',
    idem: 'a-question-of-flowers',
  })
  expect(await lookUp(question.hash)).toMatchObject({
    text: 'which flowers, @bob?',
    channel: { id: 'gardens' },
    mentioned_profiles: [{ username: 'bob' }],
  })
  const { cast: answer } = await client.publishCast({
    signerUuid: signers[1],
    text: 'tulips',
    parent: question.hash,
    parentAuthorFid: 1,
    // The client's generator has made one type of the three kinds of embeds.
    embeds: [{ cast_id: { fid: 1, hash: question.hash } }, { url: 'https://a.example/tulip.png' }] as never,
  })
  expect(await lookUp(answer.hash)).toMatchObject({
    parent_hash: question.hash,
    embeds: [{ cast: { hash: question.hash } }, { url: 'https://a.example/tulip.png' }],
  })
  expect(
    (
      await client.publishCast({
        signerUuid,
        text: 'which flowers, @bob?',
        channelId: 'gardens',
        idem: 'a-question-of-flowers',
      })
    ).cast,
  ).toEqual(question)
  await client.deleteCast({ signerUuid: signers[1], targetHash: answer.hash })
  await expect(lookUp(answer.hash)).rejects.toMatchObject({ response: { status: 404 } })
})

it('reacts, and takes it back', async () => {
  const { cast } = await client.publishCast({ signerUuid: signers[1], text: 'like me' })
  const reaction = { signerUuid, reactionType: 'like', target: cast.hash, targetAuthorFid: 2 } as const
  await client.publishReaction({ ...reaction, idem: 'sixteen-letters!' })
  expect(await lookUp(cast.hash, 1)).toMatchObject({
    reactions: { likes_count: 1 },
    viewer_context: { liked: true },
  })
  await client.deleteReaction(reaction)
  expect(await lookUp(cast.hash, 1)).toMatchObject({ reactions: { likes_count: 0 } })
})

it('follows and unfollows users', async () => {
  const { success, details } = await client.followUser({ signerUuid, targetFids: [2, 3] })
  expect([success, details.map(({ target_fid }) => target_fid)]).toEqual([true, [2, 3]])
  expect((await client.fetchUserFollowing({ fid: 1 })).users.map(({ user }) => user.fid).sort()).toEqual([
    2, 3,
  ])
  expect((await client.unfollowUser({ signerUuid, targetFids: [3] })).success).toBe(true)
  expect((await client.fetchUserFollowing({ fid: 1 })).users).toMatchObject([{ user: { fid: 2 } }])
})

it('updates a profile', async () => {
  await client.updateUser({
    signerUuid,
    bio: 'gardens',
    displayName: 'Alice',
    pfpUrl: 'https://a.example/me.png',
    location: { latitude: 52.52, longitude: 13.41 },
    verifiedAccounts: { x: 'alice_x' },
  })
  const { users: found } = await client.fetchBulkUsers({ fids: [1] })
  expect(found).toMatchObject([
    {
      display_name: 'Alice',
      profile: { bio: { text: 'gardens' }, location: { latitude: 52.52, longitude: 13.41 } },
      verified_accounts: [{ platform: 'x', username: 'alice_x' }],
    },
  ])
  expect(await client.updateUser({ signerUuid, bio: 'flowers', banner: 'https://a.example/b.png' })).toEqual({
    success: false,
    errors: [{ message: 'banner: Pro subscription required' }],
  })
})

it('verifies an address, and takes it back', async () => {
  const claim = await addressClaim(1)
  const verification = {
    signerUuid,
    address: claim.address,
    blockHash: claim.block_hash,
    ethSignature: claim.eth_signature,
  }
  await client.publishVerification(verification)
  const addresses = async () =>
    (await client.fetchBulkUsers({ fids: [1] })).users[0]!.verified_addresses.eth_addresses
  expect(await addresses()).toEqual([wallet.address.toLowerCase()])
  await client.deleteVerification(verification)
  expect(await addresses()).toEqual([])
})

it('publishes a message that was signed elsewhere', async () => {
  const message = alice.cast('signed at home', testNow - 10)
  const body = messageJson(toProtobuf(message))
  expect(await client.publishMessageToFarcaster({ body })).toEqual(JSON.parse(JSON.stringify(body)))
  expect((await lookUp(body.hash)).text).toBe('signed at home')
})

it('follows and unfollows a channel', async () => {
  await client.followChannel({ signerUuid, channelId: 'gardens' })
  expect((await client.fetchUserChannels({ fid: 1 })).channels).toMatchObject([
    { id: 'gardens', follower_count: 1 },
  ])
  await client.unfollowChannel({ signerUuid, channelId: 'gardens' })
  expect((await client.fetchUserChannels({ fid: 1 })).channels).toEqual([])
})

it('sends an action to another app', async () => {
  const otherApp = createServer((_request, response) => response.end('{"watered":true}'))
  await new Promise<void>((resolve) => otherApp.listen(0, '127.0.0.1', resolve))
  const { port } = otherApp.address() as AddressInfo
  const reply = await client.publishFarcasterAction({
    signerUuid,
    baseUrl: `http://127.0.0.1:${port}`,
    action: { type: 'garden.water', payload: {} },
  })
  expect(reply).toEqual({ watered: true })
  await new Promise((resolve) => otherApp.close(resolve))
})

it('tells what was refused, and why', async () => {
  const other = await createTestApi({ db, clock: () => testNowUnix * 1000, appName: 'other' })
  const theirs = connectClient(await other.app.listen({ host: '127.0.0.1', port: 0 }), other.key)
  await expect(theirs.publishCast({ signerUuid, text: 'x' })).rejects.toMatchObject({
    response: { status: 403, data: { code: 'SignerOfAnotherApp', property: 'signer_uuid' } },
  })
  await expect(client.publishCast({ signerUuid, text: '' })).rejects.toMatchObject({
    response: { status: 400, data: { message: 'cast is empty', property: 'text' } },
  })
  await other.app.close()
})
