import { describe, expect, test } from 'vitest'
import { testNow } from '../../../../test/network.js'
import { createCastNetwork, prefixedHash, recast, userOf } from '../../casts/routes/testing/cast-network.js'

const { ask, api, merge, createChannel, countStatements, db } = await createCastNetwork()
const [alice, bob, carol, dave, eve] = [1, 2, 3, 4, 5].map(userOf) as [
  ReturnType<typeof userOf>,
  ReturnType<typeof userOf>,
  ReturnType<typeof userOf>,
  ReturnType<typeof userOf>,
  ReturnType<typeof userOf>,
]
const gardens = 'https://example.com/~/channel/gardens'
const oldGardens = 'chain://eip155:1/erc721:0x01'
await createChannel('gardens', { urls: [gardens, oldGardens], leadFid: 1, members: [2] })
const wild = 'https://example.com/~/channel/wild'
await createChannel('wild', { urls: [wild], leadFid: 1 })

const seeds = alice.cast('seeds', testNow - 900, { parentUrl: gardens })
const soil = bob.cast('soil', testNow - 800, { parentUrl: oldGardens })
const rain = carol.cast('rain', testNow - 700, { parentUrl: gardens })
const reply = dave.cast('when', testNow - 600, { parentCastId: { fid: 3, hash: rain.hash } })
const picture = dave.cast('look', testNow - 500, { embeds: [{ url: 'https://pictures.example/a.png' }] })
const film = eve.cast('watch', testNow - 400, {
  embeds: [{ url: 'https://pictures.example.net/b.mp4' }, { url: 'https://pictures.example/c.jpg?d=1' }],
})
const document = eve.cast('read', testNow - 300, { embeds: [{ url: 'https://papers.example/p.pdf' }] })
const wolf = eve.cast('wolf', testNow - 950, { parentUrl: wild })
await merge(wolf, seeds, soil, rain, reply, picture, film, document)
await merge(
  recast(bob, picture, testNow - 100),
  recast(carol, seeds, testNow - 50),
  recast(bob, film, testNow - 60),
  recast(carol, film, testNow - 40),
  alice.link(2, testNow - 10),
  alice.link(3, testNow - 10),
)
// Until somebody looks, the kind is what the ending promises.
for (const [url, kind] of [
  ['https://pictures.example/a.png', 'image/png'],
  ['https://pictures.example.net/b.mp4', 'video/mp4'],
  ['https://pictures.example/c.jpg?d=1', 'image/jpeg'],
  ['https://papers.example/p.pdf', 'application/pdf'],
] as const) {
  await db`insert into embeds.urls (url, host, kind) values (${url}, 'example', ${kind}) on conflict do nothing`
}

const hashesOf = async (path: string, query: Record<string, string | number | boolean>) =>
  (await ask(path, query)).casts.map(({ hash }) => hash)
type Cast = typeof seeds
const named = (...casts: Cast[]) => casts.map(prefixedHash)

describe('following', () => {
  test('shows casts and recasts of followed users, each once, at its first recast', async () => {
    const expected = named(seeds, film, picture, rain, soil)
    expect(await hashesOf('feed', { feed_type: 'following', fid: 1 })).toEqual(expected)
    expect(await hashesOf('feed', { fid: 1 })).toEqual(expected)
    expect(await hashesOf('feed/following', { fid: 1 })).toEqual(expected)
  })

  test('with_recasts=false -> only casts', async () => {
    expect(await hashesOf('feed', { fid: 1, with_recasts: false })).toEqual(named(rain, soil))
    expect(await hashesOf('feed/following', { fid: 1, with_recasts: false })).toEqual(named(rain, soil))
  })

  test('a cursor of a page without recasts, used with recasts -> they are on the pages that follow', async () => {
    const fresh = bob.cast('fresh', testNow - 30)
    await merge(fresh, eve.link(2, testNow - 10))
    const { casts, next } = await ask('feed/following', { fid: 5, with_recasts: false, limit: 1 })
    expect(casts.map(({ hash }) => hash)).toEqual(named(fresh))
    const query = { fid: 5, with_recasts: true, cursor: next.cursor! }
    expect(await hashesOf('feed/following', query)).toEqual(named(film, picture, soil))
    await merge(bob.removeCast(fresh.hash, testNow - 5), eve.link(2, testNow - 5, { remove: true }))
  })

  test('a user without follows, or unknown -> empty', async () => {
    expect(await ask('feed', { fid: 4 })).toEqual({ casts: [], next: { cursor: null } })
    expect(await ask('feed/following', { fid: 400 })).toEqual({ casts: [], next: { cursor: null } })
  })

  test('drops undone recasts and deleted casts', async () => {
    const removedCast = bob.cast('soon gone', testNow - 20)
    await merge(removedCast, recast(bob, document, testNow - 30))
    expect((await hashesOf('feed', { fid: 1 })).slice(0, 2)).toEqual(named(removedCast, document))
    await merge(bob.removeCast(removedCast.hash, testNow - 10), recast(bob, document, testNow - 5, true))
    expect((await hashesOf('feed', { fid: 1 }))[0]).toBe(prefixedHash(seeds))
  })

  test('a recast of a cast that is in the feed by itself moves nothing', async () => {
    await merge(recast(bob, rain, testNow - 30))
    const all = named(seeds, film, picture, rain, soil)
    expect(await hashesOf('feed', { fid: 1 })).toEqual(all)
    expect(await hashesOf('feed', { fid: 1, viewer_fid: 1 })).toEqual(all)
    await merge(recast(bob, rain, testNow - 5, true))
  })
})

describe('filter', () => {
  test.each([
    [
      'authors, with replies and recasts',
      { filter_type: 'fids', fids: '2, 4' },
      [film, picture, reply, soil],
    ],
    [
      'authors, without recasts',
      { filter_type: 'fids', fids: '2,4', with_recasts: false },
      [picture, reply, soil],
    ],
    ['a parent URL', { filter_type: 'parent_url', parent_url: gardens }, [rain, seeds]],
    [
      'a channel, by all its URLs',
      { filter_type: 'channel_id', channel_id: 'gardens', members_only: false },
      [rain, soil, seeds],
    ],
    ['members', { filter_type: 'channel_id', channel_id: 'gardens' }, [soil, seeds]],
    ['a channel without members', { filter_type: 'channel_id', channel_id: 'wild' }, [wolf]],
    ['a host', { filter_type: 'embed_url', embed_url: 'Pictures.example' }, [film, picture]],
    ['a path', { filter_type: 'embed_url', embed_url: 'https://pictures.example/a' }, [picture]],
    ['images', { filter_type: 'embed_types', embed_types: 'image' }, [film, picture]],
    ['types', { filter_type: 'embed_types', embed_types: 'image/png,application/pdf' }, [document, picture]],
    ['no such channel', { filter_type: 'channel_id', channel_id: 'nowhere' }, []],
  ])('by %s', async (_, query, expected) => {
    expect(await hashesOf('feed', { feed_type: 'filter', ...query })).toEqual(named(...expected))
    expect(await hashesOf('feed', query)).toEqual(named(...expected))
    expect(await countStatements('feed', { ...query, viewer_fid: 1 })).toBeLessThanOrEqual(6)
  })

  test.each([
    ['https://ja.wikipedia.example/wiki/日本', 'https://ja.wikipedia.example/wiki/%E6%97%A5%E6%9C%AC'],
    ["https://quotes.example/?q=it's", 'https://quotes.example/?q=it%27s'],
    ['https://Capital.example/a', 'https://capital.example/a'],
    ['https://Host.example', 'https://host.example/'],
  ])('embed_url=%s finds casts that have it so, and as %s', async (asTyped, asParsed) => {
    const casts = [asTyped, asParsed].map((url, n) =>
      eve.cast('page', testNow - 2_000 - n, { embeds: [{ url }] }),
    )
    await merge(...casts)
    const query = { filter_type: 'embed_url', embed_url: asTyped }
    expect(await hashesOf('feed', query)).toEqual(named(...casts))
  })

  test('a host with a slash at its end selects casts that have it without', async () => {
    const cast = eve.cast('home', testNow - 2_100, { embeds: [{ url: 'https://bare.example' }] })
    await merge(cast, eve.cast('other', testNow - 2_100, { embeds: [{ url: 'https://bare.example.net/' }] }))
    const query = { filter_type: 'embed_url', embed_url: 'https://bare.example/' }
    expect(await hashesOf('feed', query)).toEqual(named(cast))
  })

  test('a prefix that ends behind the host is no host alone', async () => {
    const rests = ['?id=7', '#top', '.well-known/x']
    const casts = rests.map((rest, n) =>
      eve.cast('goods', testNow - 2_200 - n, { embeds: [{ url: `https://shop.example/${rest}` }] }),
    )
    await merge(...casts)
    const [query, fragment, dotted] = casts as [Cast, Cast, Cast]
    const feedOf = (embedUrl: string) => hashesOf('feed', { filter_type: 'embed_url', embed_url: embedUrl })
    expect(await feedOf('https://shop.example/?')).toEqual(named(query))
    expect(await feedOf('shop.example?')).toEqual(named(query))
    expect(await feedOf('https://shop.example/#')).toEqual(named(fragment))
    expect(await feedOf('https://shop.example/.')).toEqual(named(dotted))
    expect(await feedOf('https://shop.example/')).toEqual(named(...casts))
  })

  test('finds the casts of members behind more by others than one request reads', async () => {
    const busy = 'https://example.com/~/channel/busy'
    await createChannel('busy', { urls: [busy], leadFid: 1, members: [2] })
    const early = bob.cast('early', testNow - 9_000, { parentUrl: busy })
    await merge(early)
    await db`
      insert into social.casts (hash, fid, ts, text, parent_url, root_parent_url, thread_hash, embeds, mentions, mention_positions, signer)
      select hash, 5, ${testNow - 8_000} + n, '', ${busy}, ${busy}, hash, '[]', '{}', '{}', 'key'
      from (select n, decode(lpad(to_hex(n), 40, '0'), 'hex') as hash from generate_series(1, 2_100) n) busy`
    for (const query of [
      { filter_type: 'channel_id', channel_id: 'busy' },
      { filter_type: 'channel_id', channel_id: 'busy', viewer_fid: 3 },
    ]) {
      const first = await ask('feed', query)
      expect(first).toEqual({ casts: [], next: { cursor: expect.any(String) } })
      const second = await ask('feed', { ...query, cursor: first.next.cursor! })
      expect([second.casts.map(({ hash }) => hash), second.next.cursor]).toEqual([named(early), null])
    }
    const both = await ask('feed/channels', { channel_ids: 'busy,wild' })
    expect(both.casts.map(({ hash }) => hash)).toEqual(named(wolf))
    await db`delete from social.casts where fid = 5 and parent_url = ${busy}`
  })

  test('takes a channel whose members are not all known for everybody’s', async () => {
    const readers = [
      () => hashesOf('feed', { filter_type: 'channel_id', channel_id: 'gardens' }),
      () => hashesOf('feed/channels', { channel_ids: 'gardens', fids: '2,3,4' }),
    ]
    const read = () => Promise.all(readers.map((reader) => reader()))
    const ofMembers = await read()
    // As an import has it: a count, and no more than the moderators by name.
    const [channel] = await db`select member_count from channels.channels where id = 'gardens'`
    await db`update channels.channels set member_count = 5000 where id = 'gardens'`
    const ofAll = await read()
    await db`update channels.channels set member_count = ${channel!.member_count} where id = 'gardens'`
    expect(ofMembers).toEqual([named(soil, seeds), named(soil)])
    expect(ofAll).toEqual([named(rain, soil, seeds), named(rain, soil)])
  })

  test('leaves out users hidden from the viewer', async () => {
    const query = { filter_type: 'channel_id', channel_id: 'gardens', members_only: false, viewer_fid: 6 }
    expect(await hashesOf('feed', query)).toEqual(named(rain, soil, seeds))
    await merge(userOf(6).link(3, testNow, { type: 'block' }), bob.link(6, testNow, { type: 'block' }))
    expect(await hashesOf('feed', query)).toEqual(named(seeds))
    await db`insert into moderation.mutes (fid, target_fid, muted_at) values (6, 5, 1)`
    expect(await hashesOf('feed', { fid: 1, viewer_fid: 6 })).toEqual([])
    await merge(userOf(6).link(2, testNow + 1), userOf(6).link(3, testNow + 1))
    expect(await hashesOf('feed', { filter_type: 'fids', fids: '1,2,3,4', viewer_fid: 6 })).toEqual(
      named(picture, reply, seeds),
    )
    const seen = await ask('feed', { filter_type: 'fids', fids: '1', viewer_fid: 6 })
    expect(seen.casts[0]).toMatchObject({ viewer_context: { liked: false, recasted: false } })
  })
})

describe('other feeds', () => {
  test.each([
    ['feed/channels', { channel_ids: 'gardens', members_only: false }, [rain, soil, seeds]],
    ['feed/channels', { channel_ids: 'gardens' }, [soil, seeds]],
    ['feed/channels', { channel_ids: 'gardens,wild' }, [soil, seeds, wolf]],
    [
      'feed/channels',
      { channel_ids: 'gardens, nowhere', with_replies: true, members_only: false },
      [reply, rain, soil, seeds],
    ],
    [
      'feed/channels',
      { channel_ids: 'gardens', fids: '3,4', with_replies: true, members_only: false },
      [reply, rain],
    ],
    ['feed/channels', { channel_ids: 'gardens', fids: '2,3,4', members_only: false }, [rain, soil]],
    ['feed/channels', { channel_ids: 'gardens', fids: '2,3,4' }, [soil]],
    ['feed/channels', { channel_ids: 'gardens', with_replies: true }, [soil, seeds]],
    ['feed/parent_urls', { parent_urls: `${gardens},${oldGardens}` }, [rain, soil, seeds]],
    ['feed/parent_urls', { parent_urls: gardens, with_replies: true }, [reply, rain, seeds]],
    ['feed/user/casts', { fid: 4 }, [picture, reply]],
    ['feed/user/casts', { fid: 4, include_replies: false }, [picture]],
    ['feed/user/casts', { fid: 4, channel_id: 'gardens' }, [reply]],
    ['feed/user/casts', { fid: 2, parent_url: oldGardens }, [soil]],
    ['feed/user/casts', { fid: 2, parent_url: gardens }, []],
    ['feed/user/casts', { fid: 2, app_fid: 9 }, []],
    ['feed/user/replies_and_recasts', { fid: 4 }, [reply]],
    ['feed/user/replies_and_recasts', { fid: 3 }, [film, seeds]],
    ['feed/user/replies_and_recasts', { fid: 3, filter: 'replies' }, []],
    ['feed/user/replies_and_recasts', { fid: 2, filter: 'recasts' }, [film, picture]],
  ])('%s %j', async (path, query, expected) => {
    expect(await hashesOf(path, query)).toEqual(named(...expected))
    expect(await countStatements(path, { ...query, viewer_fid: 1 })).toBeLessThanOrEqual(6)
  })

  test('feed/user/casts with app_fid -> casts made with the app', async () => {
    await db`insert into social.signer_apps (fid, key, app_fid) values (4, ${db.types.bytea(dave.key.publicKey)}, 9)`
    expect(await hashesOf('feed/user/casts', { fid: 4, app_fid: 9 })).toEqual(named(picture, reply))
    expect(await hashesOf('feed/user/casts', { fid: 4, app_fid: 8 })).toEqual([])
  })
})

test.each([
  ['feed', {}, 'fid'],
  ['feed', { feed_type: 'filter' }, 'filter_type'],
  ['feed', { filter_type: 'fids' }, 'fids'],
  ['feed', { filter_type: 'fids', cursor: 'null' }, 'fids'],
  ['feed', { filter_type: 'channel_id', parent_url: gardens }, 'channel_id'],
  ['feed', { filter_type: 'embed_url', embed_url: 'https://' }, 'embed_url'],
  ['feed', { filter_type: 'embed_types', embed_types: 'film' }, 'embed_types'],
  ['feed', { filter_type: 'trending' }, 'filter_type'],
  ['feed', { fid: 1, limit: 101 }, 'limit'],
  ['feed', { fid: 1, cursor: 'nonsense' }, 'cursor'],
  ['feed/channels', { channel_ids: 'a,b,c,d,e,f,g,h,i,j,k' }, 'channel_ids'],
  ['feed/user/casts', { fid: 1, parent_url: gardens, channel_id: 'gardens' }, 'channel_id'],
  ['feed/user/casts', { fid: 1, limit: 151 }, 'limit'],
])('400: %s %j names %s', async (path, query, property) => {
  const response = await api.get(path, query)
  expect(response.statusCode).toBe(400)
  expect(response.json()).toMatchObject({ property })
})

test('members that a published component does not set are absent', async () => {
  const unset = { with_recasts: 'undefined', limit: 'undefined' }
  for (const query of [{ fid: 1 }, { filter_type: 'channel_id', channel_id: 'gardens' }]) {
    expect(await ask('feed', { ...query, ...unset })).toEqual(await ask('feed', query))
  }
})

test.each([
  ['feed', { fid: 1 }],
  ['feed', { filter_type: 'parent_url', parent_url: gardens }],
  ['feed', { filter_type: 'global_trending' }],
  ['feed/channels', { channel_ids: 'gardens' }],
  ['feed/for_you', { fid: 1 }],
])('cursor=null, the page after the last: %s %j is empty and ends there', async (path, query) => {
  expect((await ask(path, query)).casts).not.toEqual([])
  expect(await ask(path, { ...query, cursor: 'null' })).toEqual({ casts: [], next: { cursor: null } })
})

test('400: a cursor of another feed', async () => {
  const { next } = await ask('feed', { filter_type: 'channel_id', channel_id: 'gardens', limit: 1 })
  const response = await api.get('feed/following', { fid: 1, cursor: next.cursor! })
  expect(response.json()).toMatchObject({ status: 400, property: 'cursor' })
})
