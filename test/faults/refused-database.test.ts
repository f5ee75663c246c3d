import { getInsecureHubRpcClient } from '@farcaster/hub-nodejs'
import { expect, it, onTestFinished } from 'vitest'
import { createApiKeyCache } from '../../src/features/apps/api-key-cache.js'
import { createApiKey } from '../../src/features/apps/api-keys.js'
import { ensureApp } from '../../src/features/apps/apps.js'
import { isUnavailable } from '../../src/platform/db/connection-errors.js'
import { encodeMessage } from '../../src/protocol/codec.js'
import { createTestDatabase } from '../database.js'
import { createDatabaseLogin } from '../database-login.js'
import { TestUser, testNow, testNowUnix } from '../network.js'
import { startTestServer } from '../running-server.js'

const KEY = 'a-key-for-the-test'
const { db, url, connect } = await createTestDatabase()

it('a password of the database that is changed: 503 that may be repeated, known keys read on, and all works again with the old one', async () => {
  const login = await createDatabaseLogin(db, url)
  const server = await startTestServer(login.url, { CRAWL_EMBEDS: 'false', HUB_GRPC_PORT: '0' })
  const grpc = getInsecureHubRpcClient(server.urls.grpc!)
  onTestFinished(() => grpc.$.close())
  await server.hub.submitOnChainEvents([new TestUser(1), new TestUser(2)].flatMap((user) => user.onChain()))
  const get = async (path: string, key = KEY) => {
    const reply = await fetch(`${server.urls.main}${path}`, { headers: { 'x-api-key': key } })
    return { status: reply.status, retryAfter: reply.headers.get('retry-after'), body: await reply.json() }
  }
  const cached = () => get('/v2/farcaster/user/bulk?fids=1')
  const casts = () => get('/v2/farcaster/feed/user/casts?fid=2&limit=7')
  await expect.poll(async () => (await cached()).status).toBe(200)
  const beforehand = await cached()

  await login.refuse()
  await expect
    .poll(() => get('/readyz'))
    .toMatchObject({ status: 503, body: { status: 'not ready', database: 'away' } })
  const unavailable = { status: 503, retryAfter: '1', body: { code: 'Unavailable' } }
  expect(await casts()).toMatchObject(unavailable)
  expect(await get('/v2/farcaster/user/bulk?fids=1', 'another key')).toMatchObject(unavailable)
  expect(await get('/v1/castsByFid?fid=2')).toMatchObject({ status: 503, body: { errCode: 'unavailable' } })
  expect((await grpc.getCastsByFid({ fid: 2 }))._unsafeUnwrapErr().errCode).toBe('unavailable')
  expect(await cached()).toEqual(beforehand)

  await login.admit()
  await expect.poll(async () => (await casts()).status).toBe(200)
  await expect.poll(async () => (await get('/readyz')).status).toBe(200)
  await expect.poll(async () => (await grpc.getCastsByFid({ fid: 2 })).isOk()).toBe(true)
})

it('a password of the database that is changed: a key that was checked is accepted for 5 minutes, an unknown one fails', async () => {
  const login = await createDatabaseLogin(db, url)
  const { key } = await createApiKey(db, { appId: await ensureApp(db, 'refused'), rateLimit: 0 })
  let nowMs = testNowUnix * 1000
  const keys = createApiKeyCache(connect({ url: login.url, poolSize: 1 }), () => nowMs)
  const caller = await keys.find(key)
  expect(caller).not.toBeNull()
  await login.refuse()
  nowMs += 5 * 60_000
  await expect.poll(() => keys.find('another key').catch(isUnavailable)).toBe(true)
  expect(await keys.find(key)).toEqual(caller)
  nowMs += 2_000
  expect(await keys.find(key).catch(isUnavailable)).toBe(true)
  await login.admit()
  await expect.poll(() => keys.find(key).catch(isUnavailable)).toEqual(caller)
})

it('a database that takes no writes: writes are 503, reads go on, and the reason is named until it takes them again', async () => {
  const server = await startTestServer(url, { CRAWL_EMBEDS: 'false' })
  const user = new TestUser(3)
  await server.hub.submitOnChainEvents(user.onChain())
  const get = async (path: string) => {
    const reply = await fetch(`${server.urls.main}${path}`, { headers: { 'x-api-key': KEY } })
    return { status: reply.status, text: await reply.text() }
  }
  const submit = async (text: string) => {
    const body = encodeMessage(user.cast(text, testNow))
    const headers = { 'content-type': 'application/octet-stream' }
    const reply = await fetch(`${server.urls.main}/v1/submitMessage`, { method: 'POST', headers, body })
    return { status: reply.status, body: await reply.json() }
  }
  expect((await submit('before')).status).toBe(200)
  const database = db(new URL(url).pathname.slice(1))
  await db`alter database ${database} set default_transaction_read_only = on`
  await db`
    select pg_terminate_backend(pid, 10000) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()`
  await expect.poll(async () => (await submit('refused')).status).toBe(503)
  await expect
    .poll(() => get('/readyz'))
    .toMatchObject({ status: 200, text: expect.stringContaining('"shortages":["ReadOnly"]') })
  expect((await get('/metrics')).text).toMatch(
    /^plaza_database_shortages_total\{shortage="ReadOnly"\} [1-9]/m,
  )
  expect((await get('/v1/castsByFid?fid=3')).status).toBe(200)
  await db`alter database ${database} reset default_transaction_read_only`
  await expect.poll(async () => (await submit('after')).status).toBe(200)
})
