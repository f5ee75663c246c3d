import { Configuration, NeynarAPIClient } from '@neynar/nodejs-sdk'
import { beforeAll, expect, it } from 'vitest'
import { createTestApi } from '../../src/app/testing/test-api.js'
import { createBearerVerifier } from '../../src/features/bearer/bearer-token.js'
import { appKeyAuthorization } from '../../src/features/bearer/testing/app-key-token.js'
import { consumeInbox } from '../../src/features/notifications/testing/consume-inbox.js'
import { approvedSigner } from '../../src/features/signers/testing/approved-signer.js'
import type { SignedMessage } from '../../src/protocol/message.js'
import { createTestDatabase } from '../database.js'
import { createTestHub } from '../hub.js'
import { TestUser, testNow, testNowUnix } from '../network.js'

const { db } = await createTestDatabase()
const hub = await createTestHub(db)
const clock = () => testNowUnix * 1000
const bearer = createBearerVerifier({ db, clock })
const { app, key, appId } = await createTestApi({ db, hub, clock, bearer })
const basePath = await app.listen({ host: '127.0.0.1', port: 0 })
const client = new NeynarAPIClient(new Configuration({ apiKey: key, basePath }))

const [alice, bob, carol] = [11, 12, 13].map((fid) => new TestUser(fid)) as [TestUser, TestUser, TestUser]
const gardens = 'https://example.com/~/channel/gardens'
const hashOf = (message: SignedMessage) => `0x${message.hash.toString('hex')}`

const tulips = alice.cast('tulips', testNow - 900, { parentUrl: gardens })
const reply = bob.cast('which colour', testNow - 800, { parentCastId: { fid: 11, hash: tulips.hash } })

beforeAll(async () => {
  await hub.submitOnChainEvents([alice, bob, carol].flatMap((user) => user.onChain()))
  await hub.submit([
    tulips,
    reply,
    bob.react(tulips, testNow - 700),
    carol.react(tulips, testNow - 600),
    bob.link(11, testNow - 500),
    carol.cast('hi', testNow - 400, { mentions: [12], mentionsPositions: [0] }),
  ])
  await db`
    insert into channels.channels (id, url, parent_url, name, lead_fid, created_at)
    values ('gardens', ${gardens}, ${gardens}, 'Gardens', 11, 1700000000)`
  await db`insert into channels.urls (url, channel_id) values (${gardens}, 'gardens')`
  await consumeInbox(db)
  return () => app.close()
})

it('fetches notifications, page by page and by type', async () => {
  const first = await client.fetchAllNotifications({ fid: 11, limit: 2 })
  expect(first).toMatchObject({
    unseen_notifications_count: 3,
    notifications: [
      { type: 'follows', seen: false, count: 1, follows: [{ object: 'follower', user: { fid: 12 } }] },
      {
        type: 'likes',
        count: 2,
        reactions: [
          { object: 'likes', user: { fid: 13 }, cast: { hash: hashOf(tulips) } },
          { user: { fid: 12 } },
        ],
        cast: { hash: hashOf(tulips), text: 'tulips', viewer_context: { liked: false } },
      },
    ],
  })
  const second = await client.fetchAllNotifications({ fid: 11, limit: 2, cursor: first.next.cursor! })
  expect(second).toMatchObject({
    notifications: [{ type: 'reply', cast: { hash: hashOf(reply) } }],
    next: { cursor: null },
  })
  const some = await client.fetchAllNotifications({ fid: 11, type: ['replies', 'follows'] })
  expect(some.notifications.map(({ type }) => type)).toEqual(['follows', 'reply'])
})

it('fetches those of channels and of parent URLs', async () => {
  const inChannel = await client.fetchChannelNotificationsForUser({ fid: 11, channelIds: ['gardens'] })
  expect(inChannel.notifications.map(({ type }) => type)).toEqual(['likes', 'reply'])
  const below = await client.fetchNotificationsByParentUrlForUser({
    fid: 11,
    parentUrls: [gardens],
    limit: 1,
  })
  expect(below.notifications.map(({ type }) => type)).toEqual(['likes'])
})

it('marks as seen with a signer', async () => {
  const { id } = await approvedSigner({ db, hub }, alice, { appId })
  expect(await client.markNotificationsAsSeen({ signerUuid: id, type: 'likes' })).toMatchObject({
    success: true,
  })
  const { notifications } = await client.fetchAllNotifications({ fid: 11 })
  expect(notifications.map(({ type, seen }) => [type, seen])).toEqual([
    ['follows', false],
    ['likes', true],
    ['reply', false],
  ])
  await client.markNotificationsAsSeen({ signerUuid: id })
  expect((await client.fetchAllNotifications({ fid: 11 })).unseen_notifications_count).toBe(0)
})

it('marks as seen with a bearer token', async () => {
  const headers = { Authorization: appKeyAuthorization(bob) }
  const bearing = new NeynarAPIClient(new Configuration({ apiKey: key, basePath, baseOptions: { headers } }))
  expect((await client.fetchAllNotifications({ fid: 12 })).unseen_notifications_count).toBe(1)
  expect(await bearing.markNotificationsAsSeen({})).toMatchObject({ success: true })
  expect((await client.fetchAllNotifications({ fid: 12 })).unseen_notifications_count).toBe(0)
})
