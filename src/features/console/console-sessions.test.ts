import { describe, expect, it } from 'vitest'
import { createTestDatabase } from '../../../test/database.js'
import { createTestApi } from '../../app/testing/test-api.js'
import { createLogin } from './console-sessions.js'

const { db } = await createTestDatabase()
const adminToken = 'the-admin-token-of-the-tests-0123456789'
const { app } = await createTestApi({ db, adminToken, consoleFiles: null })
const bearer = { authorization: `Bearer ${adminToken}` }
const ownPage = { host: 'plaza.test', 'sec-fetch-site': 'same-origin' }

async function signIn(payload: object, headers: Record<string, string> = {}, remoteAddress = '127.0.0.1') {
  const options = { method: 'POST', url: '/console/session', payload, remoteAddress } as const
  const response = await app.inject({ ...options, headers: { ...ownPage, ...headers } })
  const setCookie = String(response.headers['set-cookie'] ?? '')
  return { response, setCookie, cookie: setCookie.split(';')[0]! }
}

async function listed() {
  const response = await app.inject({ url: '/admin/sessions', headers: bearer })
  expect(response.statusCode).toBe(200)
  return response.json().sessions
}

const WEEK_MS = 7 * 24 * 3_600_000

describe('a session', () => {
  it('lasts a week, and its replies are for nobody else', async () => {
    const { response, cookie, setCookie } = await signIn({ token: adminToken })
    expect(setCookie).toMatch(/; Max-Age=604800; HttpOnly; SameSite=Strict$/)
    const { session } = response.json()
    expect(Math.abs(Date.parse(session.expires_at) - Date.now() - WEEK_MS)).toBeLessThan(60_000)
    const asked = await app.inject({ url: '/console/session', headers: { cookie } })
    expect(asked.json()).toEqual({ session })
    for (const { headers } of [response, asked]) expect(headers['cache-control']).toBe('no-store')
  })

  it('is listed with where it came from, newest first', async () => {
    await db`delete from app.console_sessions`
    await signIn({ code: await createLogin(db) }, { 'user-agent': 'x'.repeat(201) })
    // As some gateways write the address into X-Forwarded-For.
    await signIn({ token: adminToken }, { 'user-agent': '' }, '192.0.2.1:5678')
    const [{ id }] = await listed()
    expect(await listed()).toEqual([
      {
        object: 'console_session',
        id,
        origin: 'token',
        address: '192.0.2.1',
        user_agent: '',
        started_at: expect.any(String),
        expires_at: expect.any(String),
      },
      expect.objectContaining({ id: id - 1, origin: 'link', user_agent: 'x'.repeat(200) }),
    ])
    const [{ started_at, expires_at }] = await listed()
    expect(Date.parse(expires_at) - Date.parse(started_at)).toBe(WEEK_MS)
    const end = (one: number) =>
      app.inject({ method: 'DELETE', url: `/admin/sessions/${one}`, headers: bearer })
    const ended = await end(id)
    expect(ended.json().sessions).toMatchObject([{ id: id - 1, origin: 'link' }])
    expect((await end(id)).json()).toMatchObject({
      status: 404,
      property: 'id',
      message: `there is no session ${id}, or it has ended`,
    })
    for (const wrong of ['0', '-1', 'x', '1x', 'x1', '1234567890123456']) {
      const response = await app.inject({
        method: 'DELETE',
        url: `/admin/sessions/${wrong}`,
        headers: bearer,
      })
      expect([wrong, response.statusCode]).toEqual([wrong, 400])
    }
  })

  it('that is over is not listed, and cannot be ended', async () => {
    await signIn({ token: adminToken })
    const [{ id }] = await listed()
    await db`update app.console_sessions set expires_at = now() - interval '1 second' where id = ${id}`
    expect((await listed()).map((session: { id: number }) => session.id)).not.toContain(id)
    const url = `/admin/sessions/${id}`
    expect((await app.inject({ method: 'DELETE', url, headers: bearer })).statusCode).toBe(404)
  })

  it('that is signed out takes its cookie away, also where nobody is signed in', async () => {
    const { cookie } = await signIn({ token: adminToken })
    for (const headers of [{ ...ownPage, cookie }, ownPage]) {
      const response = await app.inject({ method: 'DELETE', url: '/console/session', headers })
      expect(response.statusCode).toBe(204)
      expect(response.headers['set-cookie']).toBe(
        'plaza_console=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict',
      )
    }
    const asked = await app.inject({ url: '/console/session', headers: { cookie } })
    expect(asked.json()).toMatchObject({ status: 401, message: 'nobody is signed in' })
  })

  it('is not signed out by a page of another site', async () => {
    const { cookie } = await signIn({ token: adminToken })
    const headers = { ...ownPage, cookie, 'sec-fetch-site': 'cross-site' }
    const response = await app.inject({ method: 'DELETE', url: '/console/session', headers })
    expect([response.statusCode, response.json().message]).toEqual([
      403,
      expect.stringContaining('its own pages'),
    ])
    expect((await app.inject({ url: '/console/session', headers: { cookie } })).statusCode).toBe(200)
  })

  it('does not begin without a token or a code, nor with long ones', async () => {
    expect((await signIn({})).response.json()).toMatchObject({
      status: 400,
      property: 'token',
      message: 'token or code is needed',
    })
    for (const proof of [{ token: '' }, { code: '' }, { token: 'x'.repeat(257) }, { code: 'x'.repeat(65) }]) {
      expect((await signIn(proof)).response.statusCode).toBe(400)
    }
    expect((await signIn({ token: 'x'.repeat(3_000) })).response.statusCode).toBe(413)
  })
})

describe('a link', () => {
  it('is refused without a session when it is unknown', async () => {
    const { response, setCookie } = await signIn({ code: 'unknown' })
    expect([response.statusCode, setCookie]).toEqual([401, ''])
    expect(response.json().message).toBe(
      'this link was used or is too old: `plaza console login` makes another',
    )
  })

  it('is good for an hour, and another one does not end it', async () => {
    const code = await createLogin(db)
    await createLogin(db)
    const [row] = await db<{ minutes: number }[]>`
      select extract(epoch from max(expires_at) - now())::float8 / 60 as minutes from app.console_logins
    `
    expect(row!.minutes).toBeGreaterThan(58)
    expect(row!.minutes).toBeLessThanOrEqual(60)
    expect((await signIn({ code })).response.statusCode).toBe(201)
  })

  it('is tried at most ten times in vain from an address', async () => {
    const other = await createTestApi({ db, adminToken, consoleFiles: null })
    const options = { method: 'POST', url: '/console/session', headers: ownPage } as const
    const statusOf = async (code: string) =>
      (await other.app.inject({ ...options, payload: { code } })).statusCode
    for (let attempt = 0; attempt < 10; attempt += 1) expect(await statusOf('wrong')).toBe(401)
    expect(await statusOf(await createLogin(db))).toBe(429)
  })
})

describe('the pages', () => {
  it('that were not built -> 404 that says how to build them', async () => {
    expect((await app.inject({ url: '/console' })).json()).toMatchObject({
      status: 404,
      message: 'the console was not built: run `npm run build`',
    })
    expect((await app.inject({ url: '/console/assets/a.js' })).json()).toMatchObject({
      status: 404,
      message: 'the console has no such file',
    })
  })

  it('allow what they need and nothing else', async () => {
    const page = '<p nonce="__NONCE__"><style nonce="__NONCE__">'
    const type = 'text/css; charset=utf-8'
    const assets = new Map([['a.css', { type, bytes: Buffer.from('p {}') }]])
    const built = await createTestApi({ db, adminToken, consoleFiles: { page, assets } })
    const { headers, body } = await built.app.inject({ url: '/console/' })
    const [, nonce] = /nonce="([^"]{24})"/.exec(body)!
    expect(body).toBe(page.replaceAll('__NONCE__', nonce!))
    expect(headers).toMatchObject({
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'cross-origin-opener-policy': 'same-origin',
      'cache-control': 'no-store',
      'content-security-policy': [
        "default-src 'none'",
        "script-src 'self'",
        `style-src 'self' 'nonce-${nonce}'`,
        "img-src 'self' data: https:",
        "font-src 'self'",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
      ].join('; '),
    })
    const asset = await built.app.inject({ url: '/console/assets/a.css' })
    expect([asset.headers['content-type'], asset.body]).toEqual([type, 'p {}'])
  })
})
