import { beforeAll, expect, it } from 'vitest'
import { createTestApi } from '../src/app/testing/test-api.js'
import { createTestDatabase } from './database.js'
import { createScene } from './house/scene.js'
import { createTestHub } from './hub.js'
import { testNowUnix } from './network.js'

const { db } = await createTestDatabase()
const hub = await createTestHub(db)
const adminToken = 'the-admin-token-of-the-tests-0123456789'
const { app, get, key, appId } = await createTestApi({
  db,
  hub,
  adminToken,
  clock: () => testNowUnix * 1000,
})
let castHash: string

beforeAll(async () => {
  const scene = await createScene({ db, hub, appId })
  castHash = scene.castHash
  await db`update social.users set score = 0.95`
})

const cursorOf = (...parts: unknown[]) => Buffer.from(JSON.stringify(parts)).toString('base64url')
const hash = 'ff'.repeat(20)

it.each([
  ['channel/list', {}, ['channels by followers', 1.5, 'x']],
  ['channel/search', { q: 'garden' }, ['channels by similarity', 1.5, 'x']],
  ['channel/trending', {}, ['channels by activity', 1.5, 1, 'x']],
  ['channel/trending', {}, ['channels by activity', 1, 1e300, 'x']],
  ['channel/user', { fid: 1 }, ['channels by last cast', 1.5, 'x']],
  ['user/search', { q: 'ali' }, ['users found', 99_999_999_999, 0, 1]],
  ['user/active', {}, ['users by score', 1e300, 1]],
  ['user/power', {}, ['users by score', 1e-300, 1]],
  ['reactions/cast', { types: 'all' }, ['reactions/cast', 1, 1, 99_999]],
  ['reactions/user', { fid: 1, type: 'all' }, ['reactions/user', 1, hash, 99_999]],
])('%s %j: a cursor of %j -> 400', async (path, query, parts) => {
  const asked = path === 'reactions/cast' ? { ...query, hash: castHash } : query
  const reply = await get(path, { ...asked, cursor: cursorOf(...parts) })
  expect(reply.json()).toMatchObject({ status: 400, property: 'cursor' })
})

it.each([
  ['cast-likes', {}, ['v1 reactions', 1, 1, 99_999]],
  ['user-cast-likes', { fid: '1' }, ['v1 likes of a user', 1, hash, 99_999]],
])('v1 %s %j: a cursor of %j -> 400', async (path, query, parts) => {
  const asked = path === 'cast-likes' ? { ...query, castHash } : query
  const reply = await app.inject({
    url: `/v1/farcaster/${path}`,
    query: { ...asked, cursor: cursorOf(...parts) },
    headers: { api_key: key },
  })
  expect(reply.statusCode).toBe(400)
})

it('the keys of an app: a cursor of an id that no column holds -> 400', async () => {
  const reply = await app.inject({
    url: `/admin/apps/${appId}/keys`,
    query: { cursor: cursorOf('API keys by id', 99_999_999_999) },
    headers: { authorization: `Bearer ${adminToken}` },
  })
  expect(reply.json()).toMatchObject({ status: 400, property: 'cursor' })
})
