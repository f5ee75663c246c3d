import { expect, it } from 'vitest'
import { createTestDatabase } from '../../../test/database.js'
import { createTestApi } from '../../app/testing/test-api.js'
import { createLogin } from '../../features/console/console-sessions.js'

const adminToken = 'the-admin-token-of-the-tests-0123456789'
const { db } = await createTestDatabase()
const { app, appId } = await createTestApi({ db, adminToken, consoleFiles: null })
await db`insert into social.users (fid, custody_address, registered_at) values (1, ${Buffer.alloc(20)}, 0)`
const bearer = { authorization: `Bearer ${adminToken}` }

const listWebhooks = async (headers: Record<string, string>) =>
  await app.inject({ url: '/v2/farcaster/webhook/list', headers })

it('uses the main API as an app that is named, without its key', async () => {
  for (const name of [appId, 'test']) {
    const response = await listWebhooks({ ...bearer, 'x-plaza-app': name })
    expect([response.statusCode, response.json()]).toEqual([200, { webhooks: [] }])
  }
})

it.each([
  ['the wrong token', { authorization: 'Bearer wrong' }, 401],
  ['no token', {}, 401],
  ['an app that does not exist', { ...bearer, 'x-plaza-app': 'nobody' }, 404],
])('refuses %s', async (_what, headers, status) => {
  const { statusCode } = await listWebhooks({ 'x-plaza-app': 'test', ...(headers as Record<string, string>) })
  expect(statusCode).toBe(status)
})

it('counts wrong tokens from one network of 64 bits of IPv6 together', async () => {
  const statusOf = async (authorization: string, remoteAddress: string) => {
    const headers = { authorization, 'x-plaza-app': 'test' }
    const url = '/v2/farcaster/webhook/list'
    return (await app.inject({ url, headers, remoteAddress })).statusCode
  }
  for (let attempt = 0; attempt < 10; attempt += 1) {
    expect(await statusOf('Bearer wrong', `2001:db8:0:1::${attempt}`)).toBe(401)
  }
  expect(await statusOf(bearer.authorization, '2001:db8:0:1::aa')).toBe(429)
  expect(await statusOf(bearer.authorization, '2001:db8:0:2::1')).toBe(200)
})

it('keeps changes in the audit log, and reads not', async () => {
  const headers = { ...bearer, 'x-plaza-app': 'test' }
  const payload = { fid: 1, secret: 'x' }
  await app.inject({ method: 'POST', url: '/v2/farcaster/ban', headers, payload: { fids: [1] } })
  await app.inject({ method: 'POST', url: '/v2/farcaster/ban', headers, payload })
  const { entries } = (await app.inject({ url: '/admin/audit_log', headers: bearer })).json()
  expect(entries).toMatchObject([
    { operation: 'POST ban', params: { app_id: appId }, body: { fid: 1, secret: '(secret)' }, status: 400 },
    { operation: 'POST ban', params: { app_id: appId }, body: { fids: [1] }, status: 200 },
  ])
})

it('changes something with the cookie of the console only from its pages', async () => {
  const origin = 'http://plaza.test'
  const session = await app.inject({
    method: 'POST',
    url: '/console/session',
    headers: { host: 'plaza.test', origin },
    payload: { code: await createLogin(db) },
  })
  const cookie = String(session.headers['set-cookie']).split(';')[0]!
  const ban = async (from: string) => {
    const headers = { host: 'plaza.test', cookie, origin: from, 'x-plaza-app': 'test' }
    const payload = { fids: [1] }
    return (await app.inject({ method: 'POST', url: '/v2/farcaster/ban', headers, payload })).statusCode
  }
  expect([await ban('https://evil.example'), await ban(origin)]).toEqual([403, 200])
})
