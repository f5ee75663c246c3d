import { describe, expect, it } from 'vitest'
import { createTestDatabase } from '../../../test/database.js'
import { createTestHub } from '../../../test/hub.js'
import { TestUser } from '../../../test/network.js'
import { createTestApi } from '../../app/testing/test-api.js'
import { appKeyAuthorization } from '../../features/bearer/testing/app-key-token.js'
import { createLogin } from '../../features/console/console-sessions.js'
import { approvedSigner } from '../../features/signers/testing/approved-signer.js'

const adminToken = 'the-admin-token-of-the-tests-0123456789'
const { db } = await createTestDatabase()
const { app, appId } = await createTestApi({ db, adminToken, consoleFiles: null })
await db`insert into social.users (fid, custody_address, registered_at) values (1, ${Buffer.alloc(20)}, 0)`
const origin = 'http://plaza.test'
const bearer = { authorization: `Bearer ${adminToken}` }

const listWebhooks = async (headers: Record<string, string>) =>
  await app.inject({ url: '/v2/farcaster/webhook/list', headers })

/** Begins a session of the console and returns its cookie. */
async function signIn(): Promise<string> {
  const headers = { host: 'plaza.test', origin }
  const payload = { code: await createLogin(db) }
  const session = await app.inject({ method: 'POST', url: '/console/session', headers, payload })
  return String(session.headers['set-cookie']).split(';')[0]!
}

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

describe('an operation that reads the token of a user', async () => {
  const hub = await createTestHub(db)
  const asAdmin = await createTestApi({ db, hub, adminToken, consoleFiles: null })
  const user = new TestUser(7)
  await hub.submitOnChainEvents(user.onChain())
  const { id: signerUuid } = await approvedSigner({ db, hub }, user, { appId })
  const userToken = appKeyAuthorization(user, { payload: { exp: Math.floor(Date.now() / 1000) + 300 } })
  const cookie = await signIn()

  const markSeen = async (headers: Record<string, string>, payload: object) => {
    const url = '/v2/farcaster/notifications/seen'
    const all = { host: 'plaza.test', origin, 'x-plaza-app': 'test', ...headers }
    return (await asAdmin.app.inject({ method: 'POST', url, headers: all, payload })).statusCode
  }

  it('gets none with the admin token', async () => {
    expect(await markSeen(bearer, { signer_uuid: signerUuid })).toBe(200)
    expect(await markSeen(bearer, {}), 'no user').toBe(400)
    expect(await markSeen({ ...bearer, cookie }, { signer_uuid: signerUuid })).toBe(200)
  })

  it('gets it beside the cookie of the console, where it is no wrong admin token', async () => {
    for (let count = 0; count < 11; count += 1) {
      expect(await markSeen({ authorization: userToken, cookie }, {})).toBe(200)
    }
    expect(await markSeen(bearer, { signer_uuid: signerUuid })).toBe(200)
    const evil = { authorization: userToken, cookie, origin: 'https://evil.example' }
    expect(await markSeen(evil, {})).toBe(403)
    expect(await markSeen({ authorization: userToken, cookie: 'plaza_console=wrong' }, {})).toBe(401)
  })
})

it('changes something with the cookie of the console only from its pages', async () => {
  const cookie = await signIn()
  const ban = async (from: string) => {
    const headers = { host: 'plaza.test', cookie, origin: from, 'x-plaza-app': 'test' }
    const payload = { fids: [1] }
    return (await app.inject({ method: 'POST', url: '/v2/farcaster/ban', headers, payload })).statusCode
  }
  expect([await ban('https://evil.example'), await ban(origin)]).toEqual([403, 200])
})
