import { Value } from '@sinclair/typebox/value'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { nameTransfer, TestUser, testNow, testNowUnix } from '../../../test/network.js'
import { setChannelFollow } from '../../features/channels/channel-follows.js'
import { mute, unmute } from '../../features/moderation/relations.js'
import {
  MessageType,
  Protocol,
  ReactionType,
  SignerEventType,
  UserDataType,
} from '../../protocol/definitions.js'
import { encodeKeyRequestMetadata } from '../../protocol/key-request-metadata.js'
import type { SignedMessage } from '../../protocol/message.js'
import { Channel } from '../view/schema/channel.js'
import { rangesFromLogEnd } from './cache-follower.js'
import type { Hydrator } from './hydrator.js'
import { createHydratorScene, hex } from './testing/hydrator-scene.js'

const { db, statements, alice, bob, carol, url, createHydrator, merge, castOf, userOf } =
  await createHydratorScene()

describe('users', () => {
  test('show their profile, counters, tier and the mentions of their bio', async () => {
    const user = await userOf(createHydrator(), 1)
    expect(user).toMatchObject({
      username: 'alice',
      display_name: 'Alice 🌱',
      follower_count: 0,
      following_count: 1,
      pro: { status: 'subscribed' },
      profile: { location: { latitude: 46.95, longitude: 7.45, address: { city: 'Bern' } } },
    })
    const { bio } = user.profile
    expect(bio.mentioned_profiles?.map(({ fid }) => fid)).toEqual([2])
    expect(bio.mentioned_profiles_ranges?.map(({ start, end }) => bio.text.slice(start, end))).toEqual([
      '@bob',
    ])
    expect(bio.mentioned_channels?.map(({ id }) => id)).toEqual(['gardens'])
    expect(bio.mentioned_channels_ranges?.map(({ start, end }) => bio.text.slice(start, end))).toEqual([
      '/gardens',
    ])
  })

  test('without a username show their fid; unregistered ones are missing', async () => {
    expect((await userOf(createHydrator(), 3)).username).toBe('!3')
    expect((await createHydrator().users([3, 99])).size).toBe(1)
  })

  test('have the relations of the viewer', async () => {
    const nothing = { following: false, followed_by: false, blocking: false, blocked_by: false }
    const viewAs = async (fid: number, viewer: number) =>
      (await userOf(createHydrator(), fid, viewer)).viewer_context
    expect(await viewAs(2, 1)).toEqual({ ...nothing, following: true })
    expect(await viewAs(1, 2)).toEqual({ ...nothing, followed_by: true })
    expect(await viewAs(3, 2)).toEqual({ ...nothing, blocking: true })
    expect(await viewAs(2, 3)).toEqual({ ...nothing, blocked_by: true })
    expect((await userOf(createHydrator(), 2)).viewer_context).toBeUndefined()
  })
})

describe('casts', () => {
  test('have usernames inserted at mentions, between emoji and at both ends', async () => {
    const text = ' 🎈é hello '
    const end = Buffer.byteLength(text)
    const cast = alice.cast(text, testNow, { mentions: [2, 1, 77], mentionsPositions: [0, 5, end] })
    await merge({ messages: [cast] })
    const rendered = await castOf(createHydrator(), cast)
    expect(rendered.text).toBe('@bob 🎈@aliceé hello @!77')
    expect(rendered.mentioned_profiles.map(({ fid }) => fid)).toEqual([2, 1])
    expect(
      rendered.mentioned_profiles_ranges.map((range) => rendered.text.slice(range.start, range.end)),
    ).toEqual(['@bob', '@alice'])
  })

  test('have a thread and a channel, and contain embedded casts', async () => {
    const root = bob.cast('spring in /gardens', testNow - 50, { parentUrl: url })
    const reply = alice.cast('yes', testNow - 40, { parentCastId: { fid: 2, hash: root.hash } })
    const quote = alice.cast('look', testNow - 30, { embeds: [{ castId: { fid: 1, hash: reply.hash } }] })
    const outer = bob.cast('look again', testNow - 20, {
      embeds: [{ castId: { fid: 1, hash: quote.hash } }, { url: 'https://example.com/a.png' }],
    })
    await merge({ messages: [outer, quote, reply, root] })
    const rendered = await castOf(createHydrator(), reply, 1)
    expect(rendered).toMatchObject({
      thread_hash: `0x${hex(root)}`,
      root_parent_url: url,
      parent_author: { fid: 2 },
      channel: { object: 'channel_dehydrated', id: 'gardens', viewer_context: { following: true } },
      author_channel_context: { following: true },
    })
    expect((await castOf(createHydrator(), root)).author_channel_context).toEqual({
      following: false,
      role: 'owner',
    })
    expect((await castOf(createHydrator(), root)).mentioned_channels.map(({ id }) => id)).toEqual(['gardens'])
    const [embed, page] = (await castOf(createHydrator(), outer)).embeds
    expect(embed).toMatchObject({
      cast: {
        text: 'look',
        author: { fid: 1 },
        embeds: [{ cast: { object: 'cast_dehydrated', author: { fid: 1 } } }],
      },
    })
    expect(page).toEqual({
      url: 'https://example.com/a.png',
      metadata: { _status: 'PENDING', content_type: null, content_length: null },
    })
  })

  test('have counters and the context of the viewer', async () => {
    const cast = alice.cast('like me', testNow - 10)
    const reply = bob.cast('why', testNow - 9, { parentCastId: { fid: 1, hash: cast.hash } })
    await merge({
      messages: [
        cast,
        reply,
        bob.react(cast, testNow),
        carol.react(cast, testNow, { type: ReactionType.RECAST }),
      ],
    })
    const rendered = await castOf(createHydrator(), cast, 2)
    expect(rendered.reactions).toMatchObject({ likes_count: 1, recasts_count: 1 })
    expect(rendered.replies.count).toBe(1)
    expect(rendered.viewer_context).toEqual({ liked: true, recasted: false })
    expect(rendered.author.viewer_context?.followed_by).toBe(true)
  })

  test('that name the wrong author of a hash embed and count nothing', async () => {
    const validReply = alice.cast('real', testNow - 8)
    const spoofedReply = bob.cast('quoting', testNow - 7, {
      embeds: [{ castId: { fid: 3, hash: validReply.hash } }],
    })
    const spoofedLike = bob.message(
      {
        type: MessageType.REACTION_ADD,
        reactionBody: { type: ReactionType.LIKE, targetCastId: { fid: 3, hash: validReply.hash } },
      },
      testNow,
    )
    await merge({ messages: [validReply, spoofedReply, spoofedLike] })
    expect((await castOf(createHydrator(), validReply)).reactions.likes_count).toBe(0)
    expect((await castOf(createHydrator(), spoofedReply)).embeds).toEqual([])
  })
})

test('channels show their lead in every member that the schema has for it', async () => {
  const channel = (await createHydrator().channels(['gardens', 'nothing'], 1))
    .get('gardens')!
    .parse<Channel>()
  expect([...Value.Errors(Channel, channel)]).toEqual([])
  expect([channel.lead, channel.moderator, channel.hosts?.[0]].map((user) => user?.fid)).toEqual([2, 2, 2])
  expect(channel.viewer_context).toEqual({ following: true })
})

test('a page takes five statements when nothing is cached, one to three more for its viewer, and none when all is', async () => {
  const casts = Array.from({ length: 30 }, (_, n) =>
    [alice, bob, carol][n % 3]!.cast(`/gardens ${n}`, testNow - n, { parentUrl: url }),
  )
  const replyTo = ({ data, hash }: SignedMessage, author: TestUser) =>
    author.cast('so it is', testNow, { parentCastId: { fid: data.fid, hash } })
  const reply = replyTo(casts[0]!, bob)
  const nested = replyTo(reply, carol)
  await merge({ messages: [...casts, reply, nested] })
  const page = [...casts, nested].map(hex)
  const statementsOf = async (hydrator: Hydrator, viewerFid?: number) => {
    statements.length = 0
    await hydrator.casts(page, viewerFid)
    return statements.length
  }
  const createHydratorWithSets = async () => {
    const hydrator = createHydrator(100, { maxViewerSetsBytes: 1_000_000 })
    await rangesFromLogEnd({ db, invalidation: hydrator.invalidation, shards: 1 })
    return hydrator
  }
  expect(await statementsOf(createHydrator(0))).toBe(5)
  expect(await statementsOf(createHydrator(0), 1)).toBe(6)
  const hydrator = await createHydratorWithSets()
  expect(await statementsOf(hydrator, 1)).toBe(7)
  expect(await statementsOf(hydrator, 1)).toBe(0)
  // A viewer with too many relations for sets.
  await db`update social.user_counts set follower_count = follower_count + 60000 where fid = 1`
  expect(await statementsOf(await createHydratorWithSets(), 1)).toBe(8)
  await db`update social.user_counts set follower_count = follower_count - 60000 where fid = 1`
})

test('a compact state of links that no view shows leaves what is cached, and one of follows does not', async () => {
  const cast = alice.cast('of links', testNow - 5)
  const hydrator = createHydrator()
  await merge({ messages: [cast, bob.link(1, testNow - 4)] }, hydrator)
  expect((await castOf(hydrator, cast)).author.follower_count).toBe(1)
  statements.length = 0
  await merge({ messages: [bob.compactLinks([], testNow - 3, 'likes-it')] }, hydrator)
  await castOf(hydrator, cast)
  expect(statements).toEqual([])
  await merge({ messages: [bob.compactLinks([], testNow - 3)] }, hydrator)
  expect((await castOf(hydrator, cast)).author.follower_count).toBe(0)
})

test('a change appears at once in every view that shows it', async () => {
  const hydrator = createHydrator()
  const cast = alice.cast('hello ', testNow - 3, { mentions: [2], mentionsPositions: [6] })
  const quote = carol.cast('see', testNow - 2, { embeds: [{ castId: { fid: 1, hash: cast.hash } }] })
  await merge({ messages: [cast, quote] }, hydrator)
  expect((await castOf(hydrator, cast)).text).toBe('hello @bob')
  await castOf(hydrator, quote)
  await userOf(hydrator, 1)

  await merge({ nameTransfers: [nameTransfer('robert', 2, 100)] }, hydrator)
  await merge({ messages: [bob.userData(UserDataType.USERNAME, 'robert', testNow + 1)] }, hydrator)
  expect((await castOf(hydrator, cast)).text).toBe('hello @robert')
  expect((await userOf(hydrator, 1)).profile.bio.mentioned_profiles).toEqual([])

  await merge({ messages: [carol.react(cast, testNow), carol.link(1, testNow)] }, hydrator)
  const rendered = await castOf(hydrator, cast, 3)
  expect([rendered.reactions.likes_count, rendered.author.follower_count]).toEqual([1, 1])

  await merge({ messages: [alice.removeCast(cast.hash, testNow)] }, hydrator)
  expect((await hydrator.casts([hex(cast)])).size).toBe(0)
  expect((await castOf(hydrator, quote)).embeds).toEqual([])
})

test('Solana addresses and primary addresses are shown', async () => {
  const verificationAddAddressBody = {
    address: Buffer.alloc(32, 7),
    claimSignature: Buffer.alloc(64),
    blockHash: Buffer.alloc(32),
    verificationType: 0,
    chainId: 0,
    protocol: Protocol.SOLANA,
  }
  await merge({
    messages: [
      carol.message({ type: MessageType.VERIFICATION_ADD_ETH_ADDRESS, verificationAddAddressBody }, testNow),
    ],
  })
  const { verified_addresses } = await userOf(createHydrator(), 3)
  expect(verified_addresses.sol_addresses).toEqual(['US517G5965aydkZ46HS38QLi7UQiSojurfbQfKCELFx'])
  expect(verified_addresses.primary).toEqual({
    eth_address: null,
    sol_address: 'US517G5965aydkZ46HS38QLi7UQiSojurfbQfKCELFx',
  })
})

test('an auth address appears at once when the app that requested it registers', async () => {
  const hydrator = createHydrator()
  const app = new TestUser(4)
  const key = Buffer.alloc(32).fill(9, 12)
  const added = carol.signerEvent(SignerEventType.ADD, 399, key)
  const metadata = encodeKeyRequestMetadata({
    requestFid: BigInt(app.fid),
    requestSigner: app.custody,
    signature: Buffer.alloc(65),
    deadline: 0n,
  })
  await merge({
    chainEvents: [{ ...added, signerEventBody: { ...added.signerEventBody!, keyType: 2, metadata } }],
  })
  expect((await userOf(hydrator, 3)).auth_addresses).toEqual([])
  await merge({ chainEvents: app.onChain() }, hydrator)
  expect((await userOf(hydrator, 3)).auth_addresses).toMatchObject([
    { address: `0x${'09'.repeat(20)}`, app: { fid: 4 } },
  ])
})

test('relations of a viewer change at once, whatever is cached', async () => {
  const cached = createHydrator()
  const gardens = bob.cast('tulips', testNow - 100, { parentUrl: url })
  const casts = [gardens, carol.cast('roses', testNow - 99), alice.cast('herbs', testNow - 98)]
  await merge({ messages: casts }, cached)
  let second = testNow + 100
  const react = (actor: TestUser, on: SignedMessage, remove: boolean) => () =>
    merge({ messages: [actor.react(on, second, { remove })] }, cached)
  const link = (actor: TestUser, fid: number, type: string, remove: boolean) => () =>
    merge({ messages: [actor.link(fid, second, { type, remove })] }, cached)
  const writer = { db, invalidation: cached.invalidation }
  const changes = {
    like: react(alice, gardens, false),
    unlike: react(alice, gardens, true),
    follow: link(alice, 3, 'follow', false),
    unfollow: link(alice, 3, 'follow', true),
    'is followed': link(carol, 1, 'follow', false),
    'is unfollowed': link(carol, 1, 'follow', true),
    block: link(alice, 2, 'block', false),
    unblock: link(alice, 2, 'block', true),
    'is blocked': link(bob, 1, 'block', false),
    'is unblocked': link(bob, 1, 'block', true),
    mute: () => mute(writer, 1, 3, testNowUnix),
    unmute: () => unmute(writer, 1, 3),
  }
  const page = { viewerFid: 1, banned: new Set<number>() }
  const viewAs = async (hydrator: Hydrator) => {
    const { casts: firstCasts, ...places } = await hydrator.firstVisibleCasts(casts.map(hex), 3, page)
    const views = [
      ...firstCasts,
      ...(await hydrator.casts(casts.map(hex), 1)).values(),
      ...(await hydrator.users([1, 2, 3], 1)).values(),
      ...(await hydrator.channels(['gardens'], 1)).values(),
    ]
    return [places, ...views.map(String).toSorted()]
  }
  const pageQueries = fc.array(
    fc.tuple(fc.constantFrom(...(Object.keys(changes) as (keyof typeof changes)[])), fc.boolean()),
    { minLength: 4, maxLength: 12 },
  )
  await fc.assert(
    fc.asyncProperty(pageQueries, async (steps) => {
      for (const [change, rendersBefore] of steps) {
        if (rendersBefore) await viewAs(cached)
        second += 1
        await changes[change]()
        expect(await viewAs(cached), change).toEqual(await viewAs(createHydrator(0)))
      }
    }),
    { numRuns: 12 },
  )
})

test('a cast changes at once with all that it shows, and is not loaded again for what it does not show', async () => {
  const cached = createHydrator()
  let second = testNow + 1_000
  const inner = bob.cast('tulips', second, { parentUrl: url })
  const quote = carol.cast('see ', second, {
    parentUrl: url,
    embeds: [{ castId: { fid: 2, hash: inner.hash } }],
    mentions: [1],
    mentionsPositions: [4],
  })
  const outer = alice.cast('look', second, { embeds: [{ castId: { fid: 3, hash: quote.hash } }] })
  await merge({ messages: [inner, quote, outer] })
  const say = (message: () => SignedMessage) => () => merge({ messages: [message()] }, cached)
  const writer = { db, invalidation: cached.invalidation }
  const inChannel = (followedAt: number | null) => () =>
    setChannelFollow(writer, { channelId: 'gardens', fid: 3, followedAt })
  const shown = {
    'a like': say(() => alice.react(quote, second)),
    'a reply': say(() => alice.cast('indeed', second, { parentCastId: { fid: 3, hash: quote.hash } })),
    'the name of its author': say(() => carol.userData(UserDataType.DISPLAY, `Carol ${second}`, second)),
    'the name of whom it mentions': say(() => alice.userData(UserDataType.PFP, `${second}`, second)),
    'the name of whom it quotes': say(() => bob.userData(UserDataType.DISPLAY, `Bob ${second}`, second)),
    'its author follows the channel': inChannel(1_700_000_000),
    'its author leaves the channel': inChannel(null),
    'the cast that it quotes is removed': say(() => bob.removeCast(inner.hash, second)),
  }
  const notShown = {
    'a follow of its author': say(() => alice.link(3, second)),
    'a follow by whom it quotes': say(() => bob.link(1, second)),
    'a like of the cast that it quotes': say(() => carol.react(inner, second)),
    'a bio': say(() => bob.userData(UserDataType.BIO, `bio ${second}`, second)),
  }
  const viewBy = async (hydrator: Hydrator) =>
    [...(await hydrator.casts([hex(quote), hex(outer)], 1)).values()].map(String).toSorted()
  const kinds = [...Object.keys(notShown), ...Object.keys(shown)]
  await fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom(...kinds), { minLength: 3, maxLength: 10 }), async (steps) => {
      for (const change of steps) {
        await viewBy(cached)
        second += 1
        await { ...shown, ...notShown }[change as keyof typeof shown]()
        expect(await viewBy(cached), change).toEqual(await viewBy(createHydrator(0)))
      }
    }),
    { numRuns: 8 },
  )
  for (const change of [notShown['a follow of its author'], notShown['a like of the cast that it quotes']]) {
    await viewBy(cached)
    second += 1
    await change()
    statements.length = 0
    await viewBy(cached)
    expect(statements.filter((sql) => sql.includes('social.quotes'))).toEqual([])
  }
})

test('a compact state of follows changes users and relations at once, and casts are not loaded again', async () => {
  const cached = createHydrator()
  const cast = bob.cast('late summer', testNow + 3_000, { parentUrl: url })
  await merge({ messages: [cast, alice.link(3, testNow + 3_000), alice.link(2, testNow + 3_000)] })
  const viewOf = async (hydrator: Hydrator) =>
    [
      ...(await hydrator.users([1, 2, 3], 1)).values(),
      ...(await hydrator.casts([hex(cast)], 1)).values(),
    ].map(String)
  for (const [at, follows] of [[2], []].entries()) {
    const before = await viewOf(cached)
    await merge({ messages: [alice.compactLinks(follows, testNow + 3_001 + at)] }, cached)
    statements.length = 0
    const after = await viewOf(cached)
    expect(statements.filter((sql) => sql.includes('social.quotes'))).toEqual([])
    expect(after).toEqual(await viewOf(createHydrator(0)))
    expect(after).not.toEqual(before)
  }
})
