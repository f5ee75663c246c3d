import { expect, it } from 'vitest'
import { createTestApi } from '../../src/app/testing/test-api.js'
import { SelectedUsers } from '../../src/hub/sync/subset/selected-users.js'
import { ReactionType, UserDataType } from '../../src/protocol/definitions.js'
import type { SignedMessage } from '../../src/protocol/message.js'
import { createTestDatabase } from '../database.js'
import { createTestHub } from '../hub.js'
import { openHubGrpc } from '../hub-grpc.js'
import { nameTransfer, TestUser, testNow, testNowUnix } from '../network.js'
import { startTestSync } from './test-sync.js'

const CHANNEL = 'https://farcaster.xyz/~/channel/garden'
const a = await createTestDatabase()
const upstreamHub = await createTestHub(a.db)
const { server } = await openHubGrpc(a.db, { hub: upstreamHub })
const { db } = await createTestDatabase({ poolSize: 8 })
const hub = await createTestHub(db)
const [alice, bob, carol, dave] = [1, 2, 3, 4].map((fid) => new TestUser(fid)) as [
  TestUser,
  TestUser,
  TestUser,
  TestUser,
]

const castId = ({ data, hash }: SignedMessage) => ({ fid: data.fid, hash })
const shown = ({ hash }: SignedMessage) => `0x${hash.toString('hex')}`

// Alice and Bob are selected. Carol and Dave are not, and interact with both.
const outside = carol.cast('outside', testNow - 1000, { parentUrl: CHANNEL })
const post = alice.cast('inside', testNow - 900)
const inChannel = bob.cast('tulips', testNow - 890, { parentUrl: CHANNEL })
const reply = alice.cast('an answer to somebody outside', testNow - 800, { parentCastId: castId(outside) })
const quote = alice.cast('look', testNow - 790, { embeds: [{ castId: castId(outside) }] })
const mention = alice.cast(' hello', testNow - 780, { mentions: [carol.fid], mentionsPositions: [0] })
const outsideReply = carol.cast('from outside', testNow - 700, { parentCastId: castId(post) })
const below = bob.cast('below what is outside', testNow - 600, { parentCastId: castId(outsideReply) })
const messages = [
  ...[outside, post, inChannel, reply, quote, mention, outsideReply, below],
  carol.cast(' you', testNow - 500, { mentions: [alice.fid], mentionsPositions: [0] }),
  carol.cast('see', testNow - 490, { embeds: [{ castId: castId(post) }] }),
  carol.react(post, testNow - 480),
  carol.react(post, testNow - 480, { type: ReactionType.RECAST }),
  bob.react(post, testNow - 470),
  alice.react(outside, testNow - 460),
  alice.react(outside, testNow - 460, { type: ReactionType.RECAST }),
  alice.link(carol.fid, testNow - 450),
  alice.link(bob.fid, testNow - 450),
  bob.link(alice.fid, testNow - 440),
  carol.link(alice.fid, testNow - 440),
  dave.link(alice.fid, testNow - 440),
  alice.userData(UserDataType.USERNAME, 'alice', testNow - 430),
  alice.userData(UserDataType.BIO, 'with @carol', testNow - 430),
]

/** Requests with their status, 200 by default. */
const questions: readonly (readonly [string, Record<string, string | number | boolean>, number?])[] = [
  ['user/bulk', { fids: '1,2,3,4' }],
  ['user/bulk', { fids: '3,4', viewer_fid: 1 }],
  ['user/by_username', { username: 'alice', viewer_fid: 3 }],
  ['user/by_username', { username: 'carol' }, 404],
  ['user/search', { q: 'c', viewer_fid: 3 }],
  ['user/verifications', { fid: 3 }],
  ['user/custody-address', { custody_address: `0x${carol.custody.toString('hex')}` }, 404],
  ['user/best_friends', { fid: 1 }],
  ['user/channels', { fid: 3, limit: 5 }],
  ['user/interactions', { fids: '1,3' }],
  ['followers', { fid: 1, viewer_fid: 3 }],
  ['followers', { fid: 3 }],
  ['followers/relevant', { target_fid: 1, viewer_fid: 3 }],
  ['followers/relevant', { target_fid: 3, viewer_fid: 1 }],
  ['followers/reciprocal', { fid: 1 }],
  ['following', { fid: 1, viewer_fid: 2 }],
  ['following', { fid: 3 }],
  ['following/suggested', { fid: 1 }],
  ['following/suggested', { fid: 3 }],
  ['cast', { identifier: shown(post), type: 'hash', viewer_fid: 3 }],
  ['cast', { identifier: shown(reply), type: 'hash' }],
  ['cast', { identifier: shown(quote), type: 'hash' }],
  ['cast', { identifier: shown(mention), type: 'hash' }],
  ['cast', { identifier: shown(outside), type: 'hash' }, 404],
  ['casts', { casts: [post, outside, quote].map(shown).join(',') }],
  ['cast/conversation', { identifier: shown(post), type: 'hash', reply_depth: 5, viewer_fid: 1 }],
  ['cast/conversation', { identifier: shown(below), type: 'hash', include_chronological_parent_casts: true }],
  ['cast/conversation', { identifier: shown(reply), type: 'hash', include_chronological_parent_casts: true }],
  ['cast/conversation', { identifier: shown(outside), type: 'hash' }, 404],
  ['cast/quotes', { identifier: shown(post), type: 'hash' }],
  ['cast/quotes', { identifier: shown(outside), type: 'hash' }, 404],
  ['cast/search', { q: 'look' }],
  ['cast/search', { q: 'outside', viewer_fid: 1 }],
  ['reactions/cast', { hash: shown(post), types: 'likes,recasts', viewer_fid: 3 }],
  ['reactions/cast', { hash: shown(outside), types: 'likes,recasts' }],
  ['reactions/user', { fid: 1, type: 'all' }],
  ['reactions/user', { fid: 3, type: 'all' }],
  ['notifications', { fid: 1 }],
  ['notifications', { fid: 3 }],
  ['notifications/parent_url', { fid: 1, parent_urls: CHANNEL }],
  ['feed', { feed_type: 'following', fid: 1 }],
  ['feed', { feed_type: 'following', fid: 3 }],
  ['feed', { feed_type: 'filter', filter_type: 'fids', fids: '1,2,3', with_recasts: true }],
  ['feed', { feed_type: 'filter', filter_type: 'parent_url', parent_url: CHANNEL }],
  ['feed/following', { fid: 1, with_recasts: true, viewer_fid: 3 }],
  ['feed/for_you', { fid: 1 }],
  ['feed/for_you', { fid: 3 }],
  ['feed/trending', {}],
  ['feed/parent_urls', { parent_urls: CHANNEL, with_replies: true }],
  ['feed/user/casts', { fid: 1, include_replies: true, viewer_fid: 3 }],
  ['feed/user/casts', { fid: 3 }],
  ['feed/user/popular', { fid: 1 }],
  ['feed/user/replies_and_recasts', { fid: 1, filter: 'all' }],
  ['feed/user/replies_and_recasts', { fid: 3 }],
  ['storage/usage', { fid: 3 }, 404],
  ['storage/allocations', { fid: 3 }, 404],
  ['block/list', { blocker_fid: 3 }],
  ['mute/list', { fid: 3 }],
]

it('users and casts outside of the selection are dehydrated or absent, never an error', async () => {
  await upstreamHub.submitOnChainEvents([alice, bob, carol, dave].flatMap((user) => user.onChain()))
  await upstreamHub.submitNameTransfers([
    nameTransfer('alice', 1, testNowUnix - 2000),
    nameTransfer('carol', 3, testNowUnix - 2000),
  ])
  for (const refusal of await upstreamHub.submit(messages)) expect(refusal).toBeNull()
  await db`insert into sync.cursors values (${server.address}, 1, 0, 0)`
  const settings = { fids: [alice.fid, bob.fid], channelUrls: [], includeNeighbors: false }
  startTestSync(db, hub, { addresses: [server.address], selection: await SelectedUsers.open(db, settings) })
  const followed = messages.filter(({ data: { fid } }) => fid < 3).length
  const stand = async () => (await db`select 1 from hub.messages`).length
  await expect.poll(stand).toBe(followed)

  const api = await createTestApi({ db, hub, clock: () => testNowUnix * 1000 })
  const answers = await Promise.all(
    questions.map(async ([path, query, expected = 200]) => {
      const answer = await api.get(path, query)
      return answer.statusCode === expected
        ? []
        : [{ path, query, status: answer.statusCode, body: answer.body }]
    }),
  )
  expect(answers.flat()).toEqual([])
  const ask = async (path: string, query: Record<string, string | number>) =>
    (await api.get(path, query)).json()
  const castOf = async (message: SignedMessage) =>
    (await ask('cast', { identifier: shown(message), type: 'hash' })).cast
  const { users } = await ask('user/bulk', { fids: '1,2,3,4' })
  expect(users.map(({ fid }: { fid: number }) => fid)).toEqual([1, 2])
  // Counted by Alice's messages; listed are users that can be shown.
  expect(users[0]).toMatchObject({ follower_count: 1, following_count: 2 })
  for (const list of ['followers', 'following']) {
    const shownFids = (await ask(list, { fid: 1 })).users.map(
      ({ user }: { user: { fid: number } }) => user.fid,
    )
    expect(shownFids).toEqual([2])
  }
  expect(await castOf(post)).toMatchObject({ reactions: { likes_count: 1 }, replies: { count: 0 } })
  expect(await castOf(reply)).toMatchObject({
    parent_hash: shown(outside),
    parent_author: { fid: 3 },
    thread_hash: shown(outside),
  })
  expect(await castOf(quote)).toMatchObject({ text: 'look', embeds: [] })
  expect(await castOf(mention)).toMatchObject({ text: '@!3 hello', mentioned_profiles: [] })
  expect(await ask('reactions/user', { fid: 1, type: 'all' })).toMatchObject({ reactions: [] })
  expect(await ask('notifications', { fid: 1 })).toMatchObject({ notifications: [] })
  const feed = await ask('feed', { feed_type: 'filter', filter_type: 'fids', fids: '1,2,3' })
  expect(feed.casts.map(({ hash }: { hash: string }) => hash)).toEqual(
    [below, mention, quote, reply, inChannel, post].map(shown),
  )
  expect(api.lines.filter((line) => line.includes('"level":50'))).toEqual([])
})
