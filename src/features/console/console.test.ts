import { describe, expect, it } from 'vitest'
import { createTestDatabase } from '../../../test/database.js'
import { createTestApi } from '../../app/testing/test-api.js'
import { createLogin } from './console-sessions.js'

const { db } = await createTestDatabase()
const adminToken = 'the-admin-token-of-the-tests-0123456789'
const page = '<!doctype html><meta property="csp-nonce" nonce="__NONCE__"><p>console</p>'
const assets = new Map([
  ['main-4f2a.js', { type: 'text/javascript; charset=utf-8', bytes: Buffer.from('//') }],
])
const consoleFiles = { page, assets }
const { app } = await createTestApi({ db, adminToken, consoleFiles })
const origin = 'http://plaza.test'

/** Begins a session and returns its cookie. */
async function signIn(proof: object, headers: Record<string, string> = { origin }) {
  const response = await app.inject({
    method: 'POST',
    url: '/console/session',
    headers: { host: 'plaza.test', ...headers },
    payload: proof,
  })
  const setCookie = String(response.headers['set-cookie'] ?? '')
  return { response, setCookie, cookie: setCookie.split(';')[0]! }
}

/** Sends made-up sessions until they are refused. Returns the cookie of a session that was used before. */
async function openFlooded() {
  const { app } = await createTestApi({ db, adminToken, consoleFiles, clock: () => 0 })
  const { cookie } = await signIn({ token: adminToken })
  const statusOf = async (each: string) =>
    (await app.inject({ url: '/console/session', headers: { cookie: each } })).statusCode
  expect(await statusOf(cookie)).toBe(200)
  const statuses = []
  for (let attempt = 0; attempt < 31; attempt += 1) {
    const four = [0, 1, 2, 3].map((each) => `plaza_console=made-up-${attempt}-${each}`)
    statuses.push(await statusOf(four.join('; ')))
  }
  expect([new Set(statuses.slice(0, 30)), statuses.at(-1)]).toEqual([new Set([401]), 429])
  return { app, cookie }
}

describe('a session of the console', () => {
  it('begins with the admin token, in a cookie that scripts and other sites cannot use', async () => {
    const { response, setCookie, cookie } = await signIn({ token: adminToken })
    expect(response.statusCode).toBe(201)
    expect(setCookie).toMatch(
      /^plaza_console=[\w-]{43}; Path=\/; Max-Age=60\d{4}; HttpOnly; SameSite=Strict$/,
    )
    const apps = await app.inject({ url: '/admin/apps', headers: { cookie } })
    expect(apps.statusCode).toBe(200)
    expect(apps.headers['cache-control']).toBe('no-store')
  })

  it('begins with a link, once', async () => {
    const code = await createLogin(db)
    expect((await signIn({ code })).response.statusCode).toBe(201)
    const { response } = await signIn({ code })
    expect([response.statusCode, response.json().message]).toEqual([
      401,
      expect.stringContaining('plaza console login'),
    ])
  })

  it('does not begin with a link that is too old', async () => {
    const code = await createLogin(db)
    await db`update app.console_logins set expires_at = now() - interval '1 second'`
    expect((await signIn({ code })).response.statusCode).toBe(401)
  })

  it.each([
    ['another token', { token: 'x'.repeat(40) }, 401],
    ['nothing', {}, 400],
    ['a token that is no text', { token: 5 }, 400],
    ['a member that is none', { password: 'x' }, 400],
  ])('does not begin with %s', async (_what, proof, status) => {
    expect((await signIn(proof)).response.statusCode).toBe(status)
  })

  it('is not begun by a page of another site', async () => {
    for (const headers of [
      { origin: 'https://evil.example' },
      { origin, 'sec-fetch-site': 'same-site' },
      {},
    ] as Record<string, string>[]) {
      expect((await signIn({ token: adminToken }, headers)).response.statusCode).toBe(403)
    }
  })

  it('changes something only from the pages of the console', async () => {
    const { cookie } = await signIn({ token: adminToken })
    const create = (name: string, headers: Record<string, string>) =>
      app.inject({
        method: 'POST',
        url: '/admin/apps',
        headers: { host: 'plaza.test', cookie, ...headers },
        payload: { name },
      })
    for (const headers of [
      {},
      { origin: 'https://evil.example' },
      { origin, 'sec-fetch-site': 'cross-site' },
    ]) {
      expect((await create('by another site', headers as Record<string, string>)).statusCode).toBe(403)
    }
    expect((await create('by its pages', { origin })).statusCode).toBe(201)
    expect((await create('by its pages too', { 'sec-fetch-site': 'same-origin' })).statusCode).toBe(201)
  })

  it('ends when it is signed out, and when its time is over', async () => {
    const ask = async (cookie: string) =>
      (await app.inject({ url: '/console/session', headers: { cookie } })).statusCode
    const first = await signIn({ token: adminToken })
    const second = await signIn({ token: adminToken })
    const headers = { host: 'plaza.test', origin, cookie: first.cookie }
    const { statusCode } = await app.inject({ method: 'DELETE', url: '/console/session', headers })
    expect(statusCode).toBe(204)
    expect([await ask(first.cookie), await ask(second.cookie)]).toEqual([401, 200])
    await db`update app.console_sessions set expires_at = now()`
    expect(await ask(second.cookie)).toBe(401)
    expect((await app.inject({ url: '/admin/apps', headers: { cookie: second.cookie } })).statusCode).toBe(
      401,
    )
  })

  it('is not locked out by others behind its address, who have wrong sessions or nothing', async () => {
    const other = await createTestApi({ db, adminToken, consoleFiles })
    const { cookie } = await signIn({ token: adminToken })
    const statusOf = async (headers: Record<string, string>) =>
      (await other.app.inject({ url: '/admin/apps', headers })).statusCode
    for (let attempt = 0; attempt < 12; attempt += 1) {
      expect(await statusOf(attempt % 2 === 0 ? {} : { cookie: `plaza_console=wrong${attempt}` })).toBe(401)
    }
    expect(await statusOf({ cookie })).toBe(200)
    const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
    for (let attempt = 0; attempt < 10; attempt += 1) expect(await statusOf(bearer('wrong'))).toBe(401)
    expect(await statusOf(bearer(adminToken))).toBe(429)
    expect(await statusOf({ cookie })).toBe(200)
  })

  it('is refused without a lookup after many made-up ones from its address, unless it was valid before', async () => {
    const { app, cookie: seen } = await openFlooded()
    const statusOf = async (cookie: string, remoteAddress = '127.0.0.1') =>
      (await app.inject({ url: '/console/session', headers: { cookie }, remoteAddress })).statusCode
    const { cookie: unseen } = await signIn({ token: adminToken })
    expect([await statusOf(unseen), await statusOf(unseen, '192.0.2.7')]).toEqual([429, 200])
    // A cookie that another app has set comes first.
    expect(await statusOf(`plaza_console=other; ${seen}`)).toBe(200)
  })

  it('begins beside a flood of made-up ones, with a link that is used once', async () => {
    const { app } = await openFlooded()
    const code = await createLogin(db)
    const headers = { host: 'plaza.test', origin, cookie: 'plaza_console=ended' }
    const response = await app.inject({ method: 'POST', url: '/console/session', headers, payload: { code } })
    expect(response.statusCode).toBe(201)
  })

  it('is found beside a cookie of the same name that another app on the host has set', async () => {
    const { cookie } = await signIn({ token: adminToken })
    const headers = { cookie: `plaza_console=other; a=b; ${cookie}` }
    expect((await app.inject({ url: '/admin/apps', headers })).statusCode).toBe(200)
  })

  it('has a cookie for TLS only, when its page came by TLS', async () => {
    const { setCookie } = await signIn({ token: adminToken }, { origin: 'https://plaza.test' })
    expect(setCookie).toMatch(/; Secure$/)
  })

  it('replaces that of the same browser, is listed, and ended from another one', async () => {
    const headers = { authorization: `Bearer ${adminToken}` }
    const ids = async () =>
      (await app.inject({ url: '/admin/sessions', headers }))
        .json()
        .sessions.map(({ id }: { id: number }) => id) as number[]
    const { cookie } = await signIn({ token: adminToken })
    const [first] = await ids()
    const { cookie: second } = await signIn({ token: adminToken }, { origin, cookie })
    const [replacing] = await ids()
    expect(await ids()).not.toContain(first)
    const end = async () =>
      (await app.inject({ method: 'DELETE', url: `/admin/sessions/${replacing}`, headers })).statusCode
    expect([await end(), await end()]).toEqual([200, 404])
    expect((await app.inject({ url: '/admin/apps', headers: { cookie: second } })).statusCode).toBe(401)
  })

  it('has only the hash of its secret in the database', async () => {
    const code = await createLogin(db)
    const { cookie } = await signIn({ token: adminToken })
    const [row] = await db<{ text: string }[]>`
      select string_agg(l::text, '') || (select string_agg(s::text, '') from app.console_sessions s) as text
      from app.console_logins l
    `
    for (const secret of [code, cookie.split('=')[1]!]) {
      expect(row!.text).not.toContain(secret)
      expect(row!.text).not.toContain(Buffer.from(secret).toString('hex'))
    }
  })
})

describe('the pages of the console', () => {
  it('have a policy that allows their own files only, with a nonce for each reply', async () => {
    const nonces = await Promise.all(
      ['/console', '/console/', '/console/apps/7'].map(async (url) => {
        const { statusCode, headers, body } = await app.inject({ url })
        expect([statusCode, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
        const policy = String(headers['content-security-policy'])
        expect(policy).toContain("script-src 'self';")
        expect(policy).not.toContain('unsafe')
        const nonce = /'nonce-([^']+)'/.exec(policy)![1]!
        expect(body).toBe(page.replace('__NONCE__', nonce))
        return nonce
      }),
    )
    expect(new Set(nonces).size).toBe(3)
  })

  it('have files that never change', async () => {
    const { headers } = await app.inject({ url: '/console/assets/main-4f2a.js' })
    expect(headers['cache-control']).toBe('public, max-age=31536000, immutable')
    for (const name of ['other.js', '..%2findex.html']) {
      expect((await app.inject({ url: `/console/assets/${name}` })).statusCode).toBe(404)
    }
  })

  it('are off without the console, and the admin API with them', async () => {
    const off = await createTestApi({ db })
    for (const url of ['/console', '/admin/apps'])
      expect((await off.app.inject({ url })).statusCode).toBe(404)
  })
})

describe('the audit log', () => {
  const secretNames = [
    'access_token',
    'authToken',
    'secrets',
    'api_keys',
    'passphrase',
    'seed_phrase',
    'db-password',
  ]

  async function ask(method: 'GET' | 'POST' | 'PATCH', url: string, payload?: object) {
    const response = await app.inject({
      method,
      url: `/admin/${url}`,
      headers: { authorization: `Bearer ${adminToken}` },
      ...(payload && { payload }),
    })
    return response.json()
  }

  it('has every change and what became of it, without secrets, newest first', async () => {
    const { app: made } = await ask('POST', 'apps', { name: 'audited' })
    await ask('PATCH', `apps/${made.id}`, { name: ' ' })
    await ask('POST', `apps/${made.id}/custody_key`, { custody_key: `0x${'5e'.repeat(32)}` })
    await ask('GET', 'apps')
    const { entries, next } = await ask('GET', 'audit_log?limit=3')
    expect(entries).toMatchObject([
      {
        operation: 'POST apps/{id}/custody_key',
        params: { id: made.id },
        body: { custody_key: '(secret)' },
        status: 409,
        error: 'conflict',
      },
      { operation: 'PATCH apps/{id}', body: { name: ' ' }, status: 400, error: 'bad_request.invalid_param' },
      { operation: 'POST apps', body: { name: 'audited' }, status: 201, error: null, session_id: null },
    ])
    const older = await ask('GET', `audit_log?limit=100&cursor=${next.cursor}`)
    expect(older.entries.every(({ id }: { id: number }) => id < entries[2].id)).toBe(true)
  })

  it.each([
    ['U+0000', 'a\0b'],
    ['half of a surrogate pair', 'a\ud800b'],
    ['a backslash before what is no escape', 'a\\u0000b'],
  ])('keeps a change with %s', async (_what, name) => {
    await ask('POST', 'apps', { name, [name]: 1 })
    const { entries } = await ask('GET', 'audit_log?limit=1')
    const kept = name.replaceAll(/[\0\ud800]/g, '\ufffd')
    expect(entries[0].body).toEqual({ name: kept, [kept]: 1 })
  })

  it.each([
    ['a mistyped name', { custodyKey: 'a key' }, { custodyKey: '(secret)' }],
    ['a key under another name', { name: `0x${'5e'.repeat(32)}` }, { name: '(secret)' }],
    [
      'a token in a URL',
      { url: 'https://a.example/hook?token=abc', list: [{ client_secret: 'x' }] },
      { url: 'https://a.example/hook?(secret)', list: [{ client_secret: '(secret)' }] },
    ],
    [
      'a token in a URL, however it is written',
      { url: ' HTTPS://a.example/hook?token=abc', other: 'wss://a.example/a b#key' },
      { url: ' HTTPS://a.example/hook?(secret)', other: 'wss://a.example/a b?(secret)' },
    ],
    [
      'user and password of a URL',
      { url: 'https://user:p@ss@a.example/@user?mail=a@b.example' },
      { url: 'https://(secret)@a.example/@user?(secret)' },
    ],
    [
      'names of secrets, and of several',
      Object.fromEntries(secretNames.map((name) => [name, 'x'])),
      Object.fromEntries(secretNames.map((name) => [name, '(secret)'])),
    ],
    ['what is public', { public_keys: ['x'], idem_key: 'x' }, { public_keys: ['x'], idem_key: 'x' }],
    [
      'a signed event of a mini app, which holds a token',
      { signed_message: 'eyJmaWQi.eyJldmVudCI6.c2ln', nested: { payload: 'eyJldmVudCI6', header: 'x' } },
      { signed_message: '(secret)', nested: { payload: '(secret)', header: 'x' } },
    ],
    ['a key behind a blank', { name: ` 0x${'5e'.repeat(32)} ` }, { name: '(secret)' }],
    ['a long list', { fids: Array.from({ length: 900 }, () => 7) }, { fids: '(1801 characters)' }],
  ])('keeps no secret and no long member: %s', async (_what, payload, kept) => {
    await ask('POST', 'apps', payload)
    const { entries } = await ask('GET', 'audit_log?limit=1')
    expect(entries[0].body).toEqual(kept)
  })

  it('names the address of its client without the port that some gateways add', async () => {
    const from = (remoteAddress: string) =>
      app.inject({
        method: 'POST',
        url: '/admin/apps',
        headers: { authorization: `Bearer ${adminToken}` },
        payload: { name: 'behind a gateway' },
        remoteAddress,
      })
    await from('192.0.2.1:5678')
    await from('[2001:db8::1]:80')
    const { entries } = await ask('GET', 'audit_log?limit=2')
    expect(entries).toMatchObject([{ address: '2001:db8::1' }, { address: '192.0.2.1' }])
  })

  it('keeps a change whose body is no object without it', async () => {
    await ask('POST', 'apps', [{ name: 'a list' }])
    const { entries } = await ask('GET', 'audit_log?limit=1')
    expect(entries).toMatchObject([{ operation: 'POST apps', body: null, status: 400 }])
  })

  it('a change whose outcome cannot be written: its reply is as without the log', async () => {
    await db`
      create function pg_temp.refuse() returns trigger language plpgsql as $$ begin raise 'no outcome'; end $$
    `
    await db`
      create trigger refuse_outcome before update on app.audit_log execute function pg_temp.refuse()
    `
    expect(await ask('POST', 'apps', { name: 'made all the same' })).toMatchObject({
      app: { name: 'made all the same' },
    })
    expect(await ask('POST', 'apps', { name: ' ' })).toMatchObject({ code: 'InvalidField' })
    await db`drop trigger refuse_outcome on app.audit_log`
    const { entries } = await ask('GET', 'audit_log?limit=2')
    expect(entries).toMatchObject([{ status: null }, { status: null }])
  })

  it('names the session of a change', async () => {
    const { cookie } = await signIn({ token: adminToken })
    const headers = { host: 'plaza.test', origin, cookie }
    await app.inject({ method: 'POST', url: '/admin/apps', headers, payload: { name: 'by a session' } })
    const { entries } = await ask('GET', 'audit_log?limit=1')
    expect(entries).toMatchObject([{ body: { name: 'by a session' }, session_id: expect.any(Number) }])
  })
})

describe('the overview', () => {
  it('tells sizes, consumers, times of operations, and which roles are missing', async () => {
    const headers = { authorization: `Bearer ${adminToken}` }
    await app.inject({ url: '/admin/apps', headers })
    const response = await app.inject({ url: '/admin/overview', headers })
    expect(response.json()).toMatchObject({
      ready: true,
      problems: ['api', 'worker', 'sync'].map((role) => `no process has the role ${role}`),
      processes: [],
      database: { bytes: expect.any(Number), version: expect.stringMatching(/^\d+/) },
    })
    const { operations } = response.json()
    expect(operations).toContainEqual(
      expect.objectContaining({ operation: 'GET /admin/apps', requests: expect.any(Number) }),
    )
    for (const { p50_ms, p99_ms } of operations) expect(p50_ms).toBeLessThanOrEqual(p99_ms)
  })
})
