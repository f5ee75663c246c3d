import { describe, expect, it } from 'vitest'
import type { CastRecord } from '../load/cast-record.js'
import { castViewerContext, embeddedIn, fidsIn, presentCast } from './cast.js'
import { castRecord, userRecord, viewerRelations } from './testing/records.js'
import { userDehydrated } from './user-dehydrated.js'

const alice = userRecord(1, { username: 'alice' })
const bob = userRecord(2, { username: 'bob' })
const app = userRecord(9, { username: 'app' })
const users = new Map([alice, bob, app].map((user) => [user.fid, user]))
const gardens = { id: 'gardens', name: 'Gardens', imageUrl: null }
const names = { users: new Map(), channels: new Map([['gardens', gardens]]) }
const gardensDehydrated = { object: 'channel_dehydrated', id: 'gardens', name: 'Gardens' }

const innermost = castRecord('33', 1, { appFid: 9 })
const inner = castRecord('22', 2, {
  text: 'hi ',
  mentions: [1],
  mentionPositions: [3],
  appFid: 9,
  channel: gardens,
  parentFid: 1,
  parentHash: '11'.repeat(20),
  parentUrl: 'chain://parent',
  rootParentUrl: 'chain://root',
  embeds: [
    { url: 'https://plaza.test/inner' },
    { fid: 1, hash: `0x${innermost.hash}` },
    { fid: 1, hash: `0x${'44'.repeat(20)}` },
  ],
  urlMetadata: { 'https://plaza.test/inner': { _status: 'RESOLVED' } },
})
const casts = new Map([inner, innermost].map((cast) => [cast.hash, cast]))

const presentBody = (cast: CastRecord) => presentCast(cast, { casts, users, names })

it('an embed that is named as a property of every object has no metadata', () => {
  const embeds = ['__proto__', 'constructor'].map((url) => ({ url }))
  expect(presentBody(castRecord('11', 1, { embeds })).body.embeds).toEqual(embeds)
})

it('a minimal cast has every required member and no other', () => {
  expect(presentBody(castRecord('11', 1))).toEqual({
    authorFid: 1,
    mentionedFids: [],
    channel: null,
    body: {
      object: 'cast',
      hash: `0x${'11'.repeat(20)}`,
      parent_hash: null,
      parent_url: null,
      root_parent_url: null,
      thread_hash: `0x${'11'.repeat(20)}`,
      parent_author: { fid: null },
      app: null,
      text: '',
      timestamp: '2024-03-03T09:46:40.000Z',
      embeds: [],
      frames: [],
      reactions: { likes_count: 0, recasts_count: 0, likes: [], recasts: [] },
      replies: { count: 0 },
      mentioned_profiles_ranges: [],
      mentioned_channels: [],
      mentioned_channels_ranges: [],
    },
  })
})

it('shows parent, app, counters and the author’s channel membership', () => {
  const cast = castRecord('11', 1, {
    parentFid: 2,
    parentHash: '22'.repeat(20),
    parentUrl: 'chain://parent',
    rootParentUrl: 'chain://root',
    threadHash: '55'.repeat(20),
    appFid: 9,
    likes: 3,
    recasts: 4,
    replies: 5,
    channel: gardens,
    authorInChannel: { following: true, role: 'member' },
  })
  const { body, channel } = presentBody(cast)
  expect(channel).toBe(gardens)
  expect(body).toMatchObject({
    parent_hash: `0x${'22'.repeat(20)}`,
    parent_url: 'chain://parent',
    root_parent_url: 'chain://root',
    thread_hash: `0x${'55'.repeat(20)}`,
    parent_author: { fid: 2 },
    app: userDehydrated(app),
    reactions: { likes_count: 3, recasts_count: 4 },
    replies: { count: 5 },
    author_channel_context: { following: true, role: 'member' },
  })
})

it('shows usernames and channels in the text, with their ranges', () => {
  const cast = castRecord('11', 1, { text: ' in /gardens, /nowhere', mentions: [2], mentionPositions: [0] })
  const { body, mentionedFids } = presentBody(cast)
  expect(mentionedFids).toEqual([2])
  expect(body).toMatchObject({
    text: '@bob in /gardens, /nowhere',
    mentioned_profiles_ranges: [{ start: 0, end: 4 }],
    mentioned_channels: [gardensDehydrated],
    mentioned_channels_ranges: [{ start: 8, end: 16 }],
  })
})

it('a parent of a fid above int32 has no author', () => {
  const reply = { parentFid: 3_000_000_000, parentHash: '22'.repeat(20) }
  expect(presentBody(castRecord('11', 1, reply)).body).toMatchObject({
    parent_hash: `0x${'22'.repeat(20)}`,
    parent_author: { fid: null },
  })
  const quoted = castRecord('66', 2, reply)
  const casts = new Map([[quoted.hash, quoted]])
  const quote = castRecord('11', 1, { embeds: [{ fid: 2, hash: `0x${quoted.hash}` }] })
  expect(presentCast(quote, { casts, users, names }).body.embeds).toMatchObject([
    { cast: { parent_author: { fid: null } } },
  ])
})

it('an unknown app is null', () => {
  expect(presentBody(castRecord('11', 1, { appFid: 8 })).body.app).toBeNull()
})

describe('embeds', () => {
  const embedding = (...embeds: CastRecord['embeds']) => castRecord('11', 1, { embeds })

  it('of URLs have the metadata of the page: pending until it is fetched, none if it never is', () => {
    const urlMetadata = { 'https://plaza.test/a': { _status: 'RESOLVED' }, 'https://plaza.test/b': null }
    const cast = castRecord('11', 1, {
      embeds: [{ url: 'https://plaza.test/a' }, { url: 'https://plaza.test/b' }, { url: 'chain://c' }],
      urlMetadata,
    })
    expect(presentBody(cast).body.embeds).toEqual([
      { url: 'https://plaza.test/a', metadata: { _status: 'RESOLVED' } },
      {
        url: 'https://plaza.test/b',
        metadata: { _status: 'PENDING', content_type: null, content_length: null },
      },
      { url: 'chain://c' },
    ])
  })

  it('of casts show the cast, and its embedded casts dehydrated', () => {
    const cast = embedding({ fid: 2, hash: `0x${inner.hash}` })
    expect(presentBody(cast).body.embeds).toEqual([
      {
        cast_id: { fid: 2, hash: `0x${inner.hash}` },
        cast: {
          hash: `0x${inner.hash}`,
          parent_hash: `0x${'11'.repeat(20)}`,
          parent_url: 'chain://parent',
          root_parent_url: 'chain://root',
          parent_author: { fid: 1 },
          author: userDehydrated(bob),
          app: userDehydrated(app),
          text: 'hi @alice',
          timestamp: '2024-03-03T09:46:40.000Z',
          embeds: [
            { url: 'https://plaza.test/inner', metadata: { _status: 'RESOLVED' } },
            {
              cast_id: { fid: 1, hash: `0x${innermost.hash}` },
              cast: {
                object: 'cast_dehydrated',
                hash: `0x${innermost.hash}`,
                author: userDehydrated(alice),
                app: userDehydrated(app),
              },
            },
            {
              cast_id: { fid: 1, hash: `0x${'44'.repeat(20)}` },
              cast: { object: 'cast_dehydrated', hash: `0x${'44'.repeat(20)}`, app: null },
            },
          ],
          channel: gardensDehydrated,
        },
      },
    ])
  })

  it('of missing casts, with a wrong or unknown author, are left out', () => {
    expect(presentBody(embedding({ fid: 1, hash: `0x${'44'.repeat(20)}` })).body.embeds).toEqual([])
    expect(presentBody(embedding({ fid: 1, hash: `0x${inner.hash}` })).body.embeds).toEqual([])
    const castsOfOtherAuthor = new Map([[inner.hash, { ...inner, fid: 5 }]])
    const cast = embedding({ fid: 5, hash: `0x${inner.hash}` })
    expect(presentCast(cast, { casts: castsOfOtherAuthor, users, names }).body.embeds).toEqual([])
  })

  it('a cast of a fid above int32 in an embedded cast has no cast_id', () => {
    const hash = `0x${'44'.repeat(20)}` as const
    const quoting = castRecord('66', 2, { embeds: [{ fid: 3_000_000_000, hash }] })
    const cast = embedding({ fid: 2, hash: `0x${quoting.hash}` })
    const { body } = presentCast(cast, { casts: new Map([[quoting.hash, quoting]]), users, names })
    expect(body.embeds).toMatchObject([
      { cast: { embeds: [{ cast: { object: 'cast_dehydrated', hash, app: null } }] } },
    ])
    expect(JSON.stringify(body.embeds)).not.toContain('3000000000')
  })

  it('embedded cast without a channel, with unknown authors inside', () => {
    const quoting = castRecord('66', 2, { embeds: [{ fid: 5, hash: `0x${'77'.repeat(20)}` }] })
    const quoteOfUnknownCast = castRecord('77', 5)
    const knownCasts = new Map([quoting, quoteOfUnknownCast].map((cast) => [cast.hash, cast]))
    const cast = embedding({ fid: 2, hash: `0x${quoting.hash}` })
    expect(presentCast(cast, { casts: knownCasts, users, names }).body.embeds).toMatchObject([
      {
        cast: {
          channel: null,
          app: null,
          embeds: [{ cast: { object: 'cast_dehydrated', hash: `0x${quoteOfUnknownCast.hash}`, app: null } }],
        },
      },
    ])
  })
})

it('embeddedIn: finds embedded casts by their own authors', () => {
  const cast = castRecord('11', 1, {
    embeds: [
      { url: 'https://plaza.test' },
      { fid: 2, hash: `0x${inner.hash}` },
      { fid: 3, hash: `0x${innermost.hash}` },
    ],
  })
  expect(embeddedIn(cast, casts)).toEqual([inner])
})

it('fidsIn: finds authors, apps and mentions at every level shown', () => {
  const deepest = castRecord('88', 30, {
    appFid: 31,
    mentions: [32],
    embeds: [{ fid: 40, hash: `0x${'99'.repeat(20)}` }],
  })
  const deep = castRecord('77', 20, { embeds: [{ fid: 30, hash: `0x${deepest.hash}` }] })
  const cast = castRecord('11', 10, { mentions: [11, 12], embeds: [{ fid: 20, hash: `0x${deep.hash}` }] })
  const knownCasts = new Map([deep, deepest, castRecord('99', 40)].map((each) => [each.hash, each]))
  expect(fidsIn(cast, knownCasts)).toEqual([10, 11, 12, 20, 30, 32, 31])
})

it('viewer context shows likes and recasts separately', () => {
  const hash = '11'.repeat(20)
  const context = (known: Parameters<typeof viewerRelations>[0]) =>
    castViewerContext({ hash, authorFid: 1 }, viewerRelations(known))
  const ownHash = new Set([hash])
  expect(context({})).toEqual({ liked: false, recasted: false })
  expect(context({ liked: ownHash })).toEqual({ liked: true, recasted: false })
  expect(context({ recasted: ownHash })).toEqual({ liked: false, recasted: true })
  expect(context({ liked: ownHash, recasted: ownHash })).toEqual({ liked: true, recasted: true })
})
