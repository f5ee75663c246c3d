import { describe, expect, it } from 'vitest'
import { createTestDatabase } from '../../test/database.js'
import { createTestHub } from '../../test/hub.js'
import { TestUser, testNowUnix } from '../../test/network.js'
import { createTestApi } from '../app/testing/test-api.js'
import type { CallerName } from '../platform/limits/caller-name.js'
import { createCounter } from '../platform/limits/counter.js'
import { limits } from '../platform/limits/limits.js'

const { db } = await createTestDatabase()
const hub = await createTestHub(db)
const clock = () => testNowUnix * 1000
const ann = new TestUser(1)
await hub.submitOnChainEvents(ann.onChain())
const user = '/v2/farcaster/user/bulk?fids=1'

describe('where published clients put their key', () => {
  it.each<[string, (key: string) => { url: string; headers: Record<string, string> }]>([
    ['header x-api-key: SDK 1.67.1 and later', (key) => ({ url: user, headers: { 'x-api-key': key } })],
    [
      'header api_key: SDK to 1.67.0, Frog, frames.js, OnchainKit',
      (key) => ({ url: user, headers: { api_key: key } }),
    ],
    ['query api_key', (key) => ({ url: `${user}&api_key=${key}`, headers: {} })],
    [
      'Frog sends an unusual Accept',
      (key) => ({ url: user, headers: { api_key: key, accept: 'application json' } }),
    ],
  ])('%s', async (_client, requestWith) => {
    const { app, key, lines } = await createTestApi({ db, hub, clock })
    const good = await app.inject(requestWith(key))
    expect([good.statusCode, good.json().users[0].fid]).toEqual([200, 1])
    const wrong = await app.inject(requestWith('a-wrong-key'))
    expect([wrong.statusCode, wrong.json().code]).toEqual([401, 'Unauthorized'])
    expect(lines.join()).not.toContain(key)
    expect(lines.join()).not.toContain('a-wrong-key')
  })
})

describe('reads without a key', () => {
  const publicReads = (limit = 0) => ({
    findClient: async (id: string) => (id === 'known' ? { appId: 'known', keyId: 0, rateLimit: null } : null),
    rateLimiter: createCounter<CallerName>(limits.publicReads, clock, limit),
  })

  it('off -> 401', async () => {
    const { app } = await createTestApi({ db, hub, clock })
    expect((await app.inject(`${user}&client_id=8f2f5c2e-0000-4000-8000-000000000000`)).statusCode).toBe(401)
  })

  it('on -> public data of the network, also for a client that is not known', async () => {
    const { app } = await createTestApi({ db, hub, clock, publicReads: publicReads() })
    for (const url of [user, `${user}&client_id=known`, `${user}&client_id=unknown`]) {
      expect((await app.inject(url)).statusCode).toBe(200)
    }
  })

  it('on -> still no writes, nothing of an app, and no wrong keys', async () => {
    const { app } = await createTestApi({ db, hub, clock, publicReads: publicReads() })
    const status = async (url: string, method: 'GET' | 'POST' = 'GET', headers = {}) =>
      (await app.inject({ url, method, headers })).statusCode
    for (const path of [
      'webhook/list',
      'signer/list',
      'user/fid',
      'notifications?fid=1',
      'ban/list',
      'nowhere',
    ]) {
      expect([path, await status(`/v2/farcaster/${path}`)]).toEqual([path, 401])
    }
    for (const path of ['mentions-and-replies', 'reactions-and-recasts'])
      expect([path, await status(`/v1/farcaster/${path}?fid=1&client_id=known`)]).toEqual([path, 401])
    expect(await status('/v2/farcaster/cast', 'POST')).toBe(401)
    expect(await status(user, 'GET', { 'x-api-key': 'wrong' })).toBe(401)
  })

  it('are counted for each address', async () => {
    const { app } = await createTestApi({ db, hub, clock, publicReads: publicReads(2) })
    const ask = async (remoteAddress: string) => (await app.inject({ url: user, remoteAddress })).statusCode
    expect([await ask('192.0.2.1'), await ask('192.0.2.1'), await ask('192.0.2.1')]).toEqual([200, 200, 429])
    expect(await ask('192.0.2.2')).toBe(200)
  })

  it('are counted for each network of 64 bits of IPv6', async () => {
    const { app } = await createTestApi({ db, hub, clock, publicReads: publicReads(1) })
    const ask = async (remoteAddress: string) => (await app.inject({ url: user, remoteAddress })).statusCode
    expect([await ask('2001:db8:0:1::1'), await ask('2001:db8:0:1:f::2')]).toEqual([200, 429])
    expect(await ask('2001:db8:0:2::1')).toBe(200)
  })
})

it('names of the hosted service stand beside the neutral ones', async () => {
  const { get } = await createTestApi({ db, hub, clock })
  await db`update social.users set score = 0.95 where fid = 1`
  const [found] = (await get('user/bulk', { fids: 1 })).json().users
  expect(found).toMatchObject({
    score: 0.95,
    power_badge: true,
    experimental: { service_user_score: 0.95, neynar_user_score: 0.95 },
  })
})
