import { beforeAll, expect, it } from 'vitest'
import { createTestDatabase } from '../../../test/database.js'
import { createScene } from '../../../test/house/scene.js'
import { createTestHub } from '../../../test/hub.js'
import { testNowUnix } from '../../../test/network.js'
import { documentedPath, openApiDocument } from '../../api/openapi.js'
import { operations } from '../../app/operations.js'
import { createTestApi } from '../../app/testing/test-api.js'

const { db } = await createTestDatabase()
const hub = await createTestHub(db)
const { get, appId } = await createTestApi({ db, hub, clock: () => testNowUnix * 1000 })

beforeAll(async () => {
  await createScene({ db, hub, appId })
  await db`
    update social.users u set score = v.score
    from (values (1, 0.95), (2, 0.99), (3, 0.95), (4, 0.89)) v (fid, score)
    where u.fid = v.fid`
})

/** The part of the OpenAPI document that this file looks at. */
interface DocumentedPaths {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly deprecated?: boolean }>>>>
}

type Query = Readonly<Record<string, string | number | boolean>>

async function fidsOf(path: string, query: Query = {}): Promise<{ fids: number[]; next: string | null }> {
  const { users, next } = (await get(path, query)).json()
  return { fids: users.map(({ fid }: { fid: number }) => fid), next: next.cursor }
}

it.each(['user/active', 'user/power'])(
  '%s: users with the power badge, best first, in pages',
  async (path) => {
    expect(await fidsOf(path)).toEqual({ fids: [2, 3, 1], next: null })
    const first = await fidsOf(path, { limit: 2 })
    expect(first.fids).toEqual([2, 3])
    expect(await fidsOf(path, { limit: 2, cursor: first.next! })).toEqual({ fids: [1], next: null })
    const [user] = (await get(path, { viewer_fid: 1, limit: 1 })).json().users
    expect(user).toMatchObject({ power_badge: true, viewer_context: { following: true } })
  },
)

it('user/power_lite: their fids, without users whom the app bans', async () => {
  expect((await get('user/power_lite')).json()).toEqual({ result: { fids: [2, 3, 1] } })
  await db`insert into moderation.bans (app_id, fid, banned_at) values (${appId}, 3, 1)`
  expect((await get('user/power_lite')).json()).toEqual({ result: { fids: [2, 1] } })
  await db`delete from moderation.bans`
})

it.each([
  [{ has_root_cast_authors: true }, [1]],
  [{ has_root_cast_authors: false }, []],
  [{ has_root_cast_authors: false, has_reply_authors: true }, [2, 3]],
  [{ has_root_cast_authors: true, has_cast_likers: true }, [1, 2, 3]],
  [{ has_root_cast_authors: false, has_cast_recasters: true }, [2, 3]],
])('channel/users %j: by ascending fid', async (flags, expected) => {
  expect(await fidsOf('channel/users', { id: 'gardens', ...flags })).toEqual({ fids: expected, next: null })
})

it('channel/users: pages, and 404 for an unknown channel', async () => {
  const query = { id: 'gardens', has_root_cast_authors: true, has_cast_likers: true, limit: 2 }
  const first = await fidsOf('channel/users', query)
  expect(first.fids).toEqual([1, 2])
  expect(await fidsOf('channel/users', { ...query, cursor: first.next! })).toEqual({ fids: [3], next: null })
  const unknown = await get('channel/users', { id: 'nowhere', has_root_cast_authors: true })
  expect(unknown.json()).toMatchObject({ status: 404, property: 'id' })
  expect((await get('channel/users', { id: 'gardens' })).json()).toMatchObject({
    status: 400,
    property: 'has_root_cast_authors',
  })
})

it('channel/users: of a cast the newest 1,000 likes and recasts count', async () => {
  const users = db`generate_series(5001, 6001) n`
  await db`
    insert into social.users (fid, custody_address, registered_at)
    select n, decode(lpad(to_hex(n), 40, '0'), 'hex'), 0 from ${users}`
  await db`
    insert into social.reactions (fid, type, ts, target_hash, target_fid, signer)
    select n, 1 + n % 2, 4e9::bigint + n, c.hash, c.fid, ''
    from ${users}
    cross join (
      select hash, fid from social.casts
      where root_parent_url in (select url from channels.urls where channel_id = 'gardens')
      order by ts limit 1
    ) c`
  const query = {
    id: 'gardens',
    has_root_cast_authors: false,
    has_cast_likers: true,
    has_cast_recasters: true,
  }
  const found: number[] = []
  let cursor: string | null = null
  do {
    const page: Awaited<ReturnType<typeof fidsOf>> = await fidsOf('channel/users', {
      ...query,
      limit: 100,
      ...(cursor === null ? {} : { cursor }),
    })
    found.push(...page.fids.filter((fid) => fid > 5000))
    cursor = page.next
  } while (cursor !== null)
  expect(found).toEqual(Array.from({ length: 1_000 }, (_, index) => 5_002 + index))
  await db`delete from social.reactions where fid > 5000`
  await db`delete from social.users where fid > 5000`
})

it.each(['popular', 'replies_and_recasts'])(
  'feed/user/{fid}/%s answers as with fid in the query',
  async (name) => {
    const inQuery = (await get(`feed/user/${name}`, { fid: 2 })).json()
    expect(inQuery.casts).not.toEqual([])
    expect((await get(`feed/user/2/${name}`)).json()).toEqual(inQuery)
    expect((await get(`feed/user/2/${name}`, { fid: 3 })).json()).toEqual(inQuery)
    expect((await get(`feed/user/two/${name}`)).json()).toMatchObject({ status: 400, property: 'fid' })
  },
)

it('cast/composer_actions/list is empty', async () => {
  expect((await get('cast/composer_actions/list', { list: 'top' })).json()).toEqual({
    actions: [],
    next: { cursor: null },
  })
})

it('sort_type=affinity_score is the former name of algorithmic', async () => {
  const asked = (sort_type: string) => get('followers', { fid: 1, sort_type })
  expect((await asked('affinity_score')).body).toBe((await asked('algorithmic')).body)
})

it.each([
  ['user/power_lite', {}, 200, '@1751241600'],
  ['user/power', { limit: 0 }, 400, '@1751241600'],
  ['feed/user/1/popular', {}, 200, '@1722384000'],
  ['feed/trending', {}, 200, '@1780185600'],
  ['frame/list', {}, 200, '@1761868800'],
  ['feed/user/popular', { fid: 1 }, 200, undefined],
  ['user/bulk', { fids: 1 }, 200, undefined],
])(
  '%s %j: the header Deprecation says since when the hosted API lacks it',
  async (path, query, status, since) => {
    const { statusCode, headers } = await get(path, query)
    expect([statusCode, headers.deprecation]).toEqual([status, since])
    expect(headers['access-control-expose-headers']).toContain('deprecation')
  },
)

it('operations are deprecated, if the description of the hosted API lost them', () => {
  const deprecated = operations.filter(({ deprecatedSince }) => deprecatedSince !== undefined)
  expect(deprecated.map(({ method, path }) => `${method} ${path}`).sort()).toEqual([
    'DELETE frame',
    'GET /nft/relevant_mints',
    'GET cast/composer_actions/list',
    'GET channel/users',
    'GET feed/for_you',
    'GET feed/frames',
    'GET feed/trending',
    'GET feed/user/:fid/popular',
    'GET feed/user/:fid/replies_and_recasts',
    'GET frame',
    'GET frame/crawl',
    'GET frame/list',
    'GET frame/validate/analytics',
    'GET frame/validate/list',
    'GET user/active',
    'GET user/power',
    'GET user/power_lite',
    'POST frame',
    'POST frame/action',
    'POST frame/developer_managed/action',
    'POST frame/validate',
    'PUT frame',
  ])
  const { paths } = openApiDocument({ operations, adminOperations: [] }) as unknown as DocumentedPaths
  for (const { method, path } of operations) {
    const documented = paths[documentedPath(path)]?.[method.toLowerCase()]
    const isDeprecated = deprecated.some((each) => each.method === method && each.path === path)
    expect([path, documented?.deprecated === true]).toEqual([path, isDeprecated])
  }
})
