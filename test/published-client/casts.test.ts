import { expect, it } from 'vitest'
import { createTestApi } from '../../src/app/testing/test-api.js'
import { createTestCrawler, servePage, serveSite } from '../../src/features/embeds/testing/crawl-site.js'
import { ReactionType } from '../../src/protocol/definitions.js'
import type { SignedMessage } from '../../src/protocol/message.js'
import { TestUser, testNow } from '../network.js'
import { connectClient, serveApi } from './served-api.js'

const { db, hub, client } = await serveApi()

const [alice, bob, carol] = [11, 12, 13].map((fid) => new TestUser(fid)) as [TestUser, TestUser, TestUser]
const channelUrl = 'https://example.com/~/channel/gardens'
const castId = (message: SignedMessage) => ({ fid: message.data.fid, hash: message.hash })
const hashOf = (message: SignedMessage) => `0x${message.hash.toString('hex')}`

const root = alice.cast('tulips in the garden', testNow - 900, { parentUrl: channelUrl })
const reply = bob.cast('which colour', testNow - 800, { parentCastId: castId(root) })
const answer = alice.cast('red', testNow - 700, { parentCastId: castId(reply) })
const quote = carol.cast('see these', testNow - 600, { embeds: [{ castId: castId(root) }] })
const picture = carol.cast('a picture', testNow - 500, {
  embeds: [{ url: 'https://pictures.example/a.png' }],
})

for (const user of [alice, bob, carol]) await hub.submitOnChainEvents(user.onChain({ units: 5 }))
const outcomes = await hub.submit([
  root,
  reply,
  answer,
  quote,
  picture,
  bob.react(root, testNow - 400),
  carol.react(root, testNow - 300, { type: ReactionType.RECAST }),
  bob.link(13, testNow - 200),
])
expect(outcomes.filter((outcome) => outcome !== null)).toEqual([])
await db`
  insert into channels.channels (id, url, parent_url, name, lead_fid, created_at)
  values ('gardens', ${channelUrl}, ${channelUrl}, 'Gardens', 11, 1700000000)`
await db`insert into channels.urls (url, channel_id) values (${channelUrl}, 'gardens')`

const hashes = ({ casts }: { casts: readonly { hash: string }[] }) => casts.map(({ hash }) => hash)
const named = (...messages: SignedMessage[]) => messages.map(hashOf)

it('looks a cast up', async () => {
  const { cast } = await client.lookupCastByHashOrUrl({
    identifier: hashOf(root),
    type: 'hash',
    viewerFid: 12,
  })
  expect(cast).toMatchObject({
    hash: hashOf(root),
    text: 'tulips in the garden',
    author: { fid: 11 },
    channel: { id: 'gardens' },
    reactions: { likes_count: 1, recasts_count: 1 },
    replies: { count: 1 },
    viewer_context: { liked: true, recasted: false },
  })
  const url = `https://farcaster.xyz/carol/${hashOf(quote).slice(0, 10)}`
  const quoting = await client.lookupCastByHashOrUrl({ identifier: url, type: 'url' })
  expect(quoting.cast.embeds).toMatchObject([{ cast: { text: 'tulips in the garden' } }])
})

it('fetches casts in bulk', async () => {
  const { result } = await client.fetchBulkCasts({ casts: named(quote, root), sortType: 'likes' })
  expect(hashes(result)).toEqual(named(root, quote))
})

it('shows a conversation', async () => {
  const { conversation } = await client.lookupCastConversation({
    identifier: hashOf(reply),
    type: 'hash',
    includeChronologicalParentCasts: true,
  })
  expect(conversation).toMatchObject({
    cast: { hash: hashOf(reply), direct_replies: [{ text: 'red', direct_replies: [] }] },
    chronological_parent_casts: [{ hash: hashOf(root) }],
  })
})

it('fetches quotes', async () => {
  expect(hashes(await client.fetchCastQuotes({ identifier: hashOf(root), type: 'hash' }))).toEqual(
    named(quote),
  )
})

it('searches casts and counts them', async () => {
  const { result } = await client.searchCasts({ q: 'tulip* -red', channelId: 'gardens' })
  expect(hashes(result)).toEqual(named(root))
  const { metrics } = await client.fetchCastMetrics({ q: 'colour', interval: '7d' })
  expect(metrics.map(({ cast_count }) => cast_count)).toEqual([0, 0, 0, 0, 0, 1, 0])
})

it('crawls a URL', async () => {
  const site = await serveSite(servePage)
  const { app, key } = await createTestApi({ db, crawler: createTestCrawler(db) })
  const crawlingClient = connectClient(await app.listen({ host: '127.0.0.1', port: 0 }), key)
  const { metadata } = await crawlingClient.fetchEmbeddedUrlMetadata({
    url: site.url('gardens.social', '/tulips'),
  })
  expect(metadata).toMatchObject({ _status: 'RESOLVED', html: { ogTitle: '/tulips' } })
  await app.close()
})

it('fetches reactions to a cast, and of a user', async () => {
  const { reactions } = await client.fetchCastReactions({ hash: hashOf(root), types: ['all'] })
  expect(reactions).toMatchObject([
    { reaction_type: 'recast', user: { fid: 13 } },
    { reaction_type: 'like', user: { fid: 12 } },
  ])
  const liked = await client.fetchUserReactions({ fid: 12, type: 'likes', limit: 1 })
  expect(liked).toMatchObject({
    reactions: [{ object: 'likes', user: { fid: 12 }, cast: { hash: hashOf(root) } }],
    next: { cursor: null },
  })
})

it('fetches feeds', async () => {
  const followed = named(root, picture, quote)
  expect(hashes(await client.fetchFeed({ feedType: 'following', fid: 12 }))).toEqual(followed)
  expect(hashes(await client.fetchUserFollowingFeed({ fid: 12 }))).toEqual(followed)
  const byAuthors = await client.fetchFeed({ feedType: 'filter', filterType: 'fids', fids: [11, 12] })
  expect(hashes(byAuthors)).toEqual(named(answer, reply, root))
  const inChannel = await client.fetchFeed({
    feedType: 'filter',
    filterType: 'channel_id',
    channelId: 'gardens',
  })
  expect(hashes(inChannel)).toEqual(named(root))
  const withImages = await client.fetchFeed({
    feedType: 'filter',
    filterType: 'embed_types',
    embedTypes: ['image'],
  })
  expect(hashes(withImages)).toEqual(named(picture))
  const withReplies = await client.fetchFeedByChannelIds({ channelIds: ['gardens'], withReplies: true })
  expect(hashes(withReplies)).toEqual(named(answer, reply, root))
  expect(hashes(await client.fetchFeedByParentUrls({ parentUrls: [channelUrl] }))).toEqual(named(root))
})

it('goes from page to page', async () => {
  const first = await client.fetchFeed({ feedType: 'filter', filterType: 'fids', fids: [11], limit: 1 })
  expect(hashes(first)).toEqual(named(answer))
  const cursor = first.next.cursor!
  const second = await client.fetchFeed({
    feedType: 'filter',
    filterType: 'fids',
    fids: [11],
    limit: 1,
    cursor,
  })
  expect(hashes(second)).toEqual(named(root))
})

it('fetches what a user cast', async () => {
  expect(hashes(await client.fetchCastsForUser({ fid: 11, includeReplies: false }))).toEqual(named(root))
  expect(hashes(await client.fetchPopularCastsByUser({ fid: 11 }))).toEqual(named(root, answer))
  expect(hashes(await client.fetchRepliesAndRecastsForUser({ fid: 13 }))).toEqual(named(root))
})

it('ranks feeds', async () => {
  expect(hashes(await client.fetchTrendingFeed({ timeWindow: '6h' }))).toEqual(named(root))
  expect(hashes(await client.fetchFeedForYou({ fid: 12 }))).toEqual(named(root, picture, quote))
})
