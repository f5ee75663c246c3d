import { describe, expect, it } from 'vitest'
import { createTestDatabase } from '../../../test/database.js'
import { createTestHub } from '../../../test/hub.js'
import { TestUser } from '../../../test/network.js'
import { createTestApi, type TestApiOptions } from '../../app/testing/test-api.js'
import { ensureApp, listApps } from '../../features/apps/apps.js'
import { ethAccount, newPrivateKey } from '../../hub/registry/eth-account.js'

const { db } = await createTestDatabase()
const hub = await createTestHub(db)
await hub.submitOnChainEvents(new TestUser(7).onChain())

const token = 'the-admin-token-of-the-tests-0123456789'
const unknownId = '00000000-0000-4000-8000-000000000000'

interface Answer {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: the bodies of all replies
  readonly body: any
  readonly headers: Record<string, unknown>
}

/** The server with an admin API, and how to ask it with the token. */
async function createAdmin(options: Partial<TestApiOptions> = {}) {
  const api = await createTestApi({ db, adminToken: token, ...options })
  async function ask(
    method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
    path: string,
    body?: object,
  ): Promise<Answer> {
    const response = await api.app.inject({
      method,
      url: `/admin/${path}`,
      headers: { authorization: `Bearer ${token}` },
      ...(body === undefined ? {} : { payload: body }),
    })
    return { status: response.statusCode, body: response.json(), headers: response.headers }
  }
  return { ...api, ask }
}

const admin = await createAdmin()
const { ask } = admin

describe('an app', () => {
  it('is created with only a name', async () => {
    const { status, body } = await ask('POST', 'apps', { name: 'plain' })
    expect(status).toBe(201)
    expect(body).toEqual({
      app: {
        object: 'app',
        id: expect.stringMatching(/^[\da-f-]{36}$/),
        name: 'plain',
        fid: null,
        mini_app_domain: null,
        events_url: `http://plaza.test/f/app/${body.app.id}/event`,
        developer_uuid: expect.stringMatching(/^[\da-f-]{36}$/),
        authorized_origins: [],
        sign_in_permission: 'read_and_write',
        has_custody_key: false,
        key_count: 0,
        created_at: expect.stringMatching(/Z$/),
      },
    })
    expect(await ask('GET', `apps/${body.app.id}`)).toMatchObject({ status: 200, body })
    expect(await ask('GET', `apps/${body.app.id.toUpperCase()}/`)).toMatchObject({ status: 200, body })
  })

  it('is created with fid, domain and developer', async () => {
    const first = await ask('POST', 'apps', { name: 'full', fid: 7, mini_app_domain: 'Full.Example.com' })
    expect(first.body.app).toMatchObject({ fid: 7, mini_app_domain: 'full.example.com' })
    const { developer_uuid } = first.body.app
    const second = await ask('POST', 'apps', { name: 'full too', fid: 7, developer_uuid })
    expect(second).toMatchObject({ status: 201, body: { app: { fid: 7, developer_uuid } } })
  })

  it.each([
    ['no name', {}, 'name'],
    ['an empty name', { name: '' }, 'name'],
    ['a blank name', { name: ' ' }, 'name'],
    ['a name of two lines', { name: 'a\nb' }, 'name'],
    ['a name with U+0000', { name: 'a\0b' }, 'name'],
    ['a name that is too long', { name: 'x'.repeat(101) }, 'name'],
    ['a name that is no text', { name: 5 }, 'name'],
    ['no name but null', { name: null }, 'name'],
    ['a fid that nobody has', { name: 'wrong', fid: 8 }, 'fid'],
    ['a fid of 0', { name: 'wrong', fid: 0 }, 'fid'],
    ['a fid in quotes', { name: 'wrong', fid: '7' }, 'fid'],
    ['a URL for a domain', { name: 'wrong', mini_app_domain: 'https://a.example' }, 'mini_app_domain'],
    ['a developer that is no UUID', { name: 'wrong', developer_uuid: 'me' }, 'developer_uuid'],
    ['no developer but null', { name: 'wrong', developer_uuid: null }, 'developer_uuid'],
    [
      'an origin with a path',
      { name: 'wrong', authorized_origins: ['https://a.example/b'] },
      'authorized_origins',
    ],
    [
      '21 origins',
      { name: 'wrong', authorized_origins: Array(21).fill('https://a.example') },
      'authorized_origins',
    ],
    ['another permission', { name: 'wrong', sign_in_permission: 'write' }, 'sign_in_permission'],
    ['a member that is none', { name: 'wrong', domain: 'a.example' }, 'domain'],
  ])('is not made with %s', async (_what, input, property) => {
    const { status, body } = await ask('POST', 'apps', input)
    // `errors` has the faults of members one by one: parse-body.test.ts.
    const { errors: _, ...rest } = body
    expect([status, rest]).toEqual([
      400,
      { message: expect.stringContaining(property), code: 'InvalidField', property, status: 400 },
    ])
    expect((await listApps(db)).filter(({ name }) => name === 'wrong')).toEqual([])
  })

  it('a body that is no JSON object -> 400', async () => {
    const send = (payload: string, type = 'application/json') =>
      admin.app.inject({
        method: 'POST',
        url: '/admin/apps',
        payload,
        headers: { authorization: `Bearer ${token}`, 'content-type': type },
      })
    for (const payload of ['{', '[]', 'null', '"name"', '{"name":"x"}trailing']) {
      expect((await send(payload)).json()).toMatchObject({ status: 400, code: 'InvalidField' })
    }
    expect((await send('name=x', 'application/x-www-form-urlencoded')).statusCode).toBe(400)
    expect((await send(JSON.stringify({ name: 'x'.repeat(2_000_000) }))).statusCode).toBe(413)
  })

  it('a taken name or domain -> 409', async () => {
    await ask('POST', 'apps', { name: 'taken', mini_app_domain: 'taken.example' })
    const { body: other } = await ask('POST', 'apps', { name: 'other' })
    const refusals = [
      await ask('POST', 'apps', { name: 'taken' }),
      await ask('POST', 'apps', { name: ' taken ' }),
      await ask('POST', 'apps', { name: 'third', mini_app_domain: 'TAKEN.example' }),
      await ask('PATCH', `apps/${other.app.id}`, { name: 'taken' }),
      await ask('PATCH', `apps/${other.app.id}`, { mini_app_domain: 'taken.example' }),
    ]
    expect(refusals.map(({ status, body }) => [status, body.code, body.property])).toEqual([
      [409, 'Conflict', 'name'],
      [409, 'Conflict', 'name'],
      [409, 'Conflict', 'mini_app_domain'],
      [409, 'Conflict', 'name'],
      [409, 'Conflict', 'mini_app_domain'],
    ])
  })

  it('concurrent creations -> one succeeds', async () => {
    const made = await Promise.all(Array.from({ length: 8 }, () => ask('POST', 'apps', { name: 'rushed' })))
    expect(made.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409, 409, 409, 409])
  })

  it('PATCH changes only the given members', async () => {
    const { body } = await ask('POST', 'apps', { name: 'before', fid: 7, mini_app_domain: 'before.example' })
    const path = `apps/${body.app.id}`
    const steps: [object, object][] = [
      [{}, {}],
      [{ name: 'after' }, { name: 'after' }],
      [{ name: 'after' }, {}],
      [{ fid: null }, { fid: null }],
      [{ mini_app_domain: 'after.example' }, { mini_app_domain: 'after.example' }],
      [
        { mini_app_domain: null, fid: 7 },
        { mini_app_domain: null, fid: 7 },
      ],
      [{ developer_uuid: unknownId }, { developer_uuid: unknownId }],
      [{ authorized_origins: ['https://A.example/'] }, { authorized_origins: ['https://a.example'] }],
      [{ sign_in_permission: 'read_only' }, { sign_in_permission: 'read_only' }],
      [{ authorized_origins: [] }, { authorized_origins: [] }],
    ]
    let expected = body.app
    for (const [change, effect] of steps) {
      expected = { ...expected, ...effect }
      expect(await ask('PATCH', path, change)).toMatchObject({ status: 200, body: { app: expected } })
      expect((await ask('GET', path)).body.app).toEqual(expected)
    }
    for (const change of [{ name: null }, { fid: 8 }, { key_count: 3 }, { id: unknownId }]) {
      expect((await ask('PATCH', path, change)).status).toBe(400)
    }
    expect((await ask('GET', path)).body.app).toEqual(expected)
  })

  it('stores the custody key of its fid, and deletes it', async () => {
    const privateKey = newPrivateKey()
    const custody_key = `0x${privateKey.toString('hex')}`
    await db`update hub.fids set custody_address = ${ethAccount(privateKey).address}::bytea where fid = 7`
    const { body } = await ask('POST', 'apps', { name: 'holds a key' })
    const path = `apps/${body.app.id}/custody_key`
    expect((await ask('POST', path, { custody_key })).status).toBe(409)
    await ask('PATCH', `apps/${body.app.id}`, { fid: 7 })
    const otherKey = `0x${newPrivateKey().toString('hex')}`
    expect(await ask('POST', path, { custody_key: otherKey })).toMatchObject({
      status: 409,
      body: { property: 'custody_key' },
    })
    for (const invalid of [{}, { custody_key: '0x12' }, { custody_key: `0x${'00'.repeat(32)}` }]) {
      expect((await ask('POST', path, invalid)).status).toBe(400)
    }
    const stored = await ask('POST', path, { custody_key })
    expect(stored).toMatchObject({ status: 200, body: { app: { has_custody_key: true } } })
    expect(JSON.stringify(stored.body)).not.toContain(custody_key.slice(2))
    for (const _ of ['once', 'again']) {
      expect(await ask('DELETE', path)).toMatchObject({
        status: 200,
        body: { app: { has_custody_key: false } },
      })
    }
    const unknown = `apps/${unknownId}/custody_key`
    expect([
      (await ask('POST', unknown, { custody_key })).status,
      (await ask('DELETE', unknown)).status,
    ]).toEqual([404, 404])
    expect(admin.lines.join('')).not.toContain(custody_key.slice(2))
  })

  it('unknown -> 404; an invalid id -> 400', async () => {
    for (const [method, path] of [
      ['GET', ''],
      ['PATCH', ''],
      ['GET', '/keys'],
      ['POST', '/keys'],
    ] as const) {
      const body = method === 'GET' ? undefined : {}
      expect(await ask(method, `apps/${unknownId}${path}`, body)).toMatchObject({
        status: 404,
        body: { code: 'NotFound', property: 'id', status: 404 },
      })
      expect(await ask(method, `apps/nonsense${path}`, body)).toMatchObject({
        status: 400,
        body: { code: 'InvalidField', property: 'id' },
      })
    }
  })

  it('is listed once, ordered by name, for any page size', async () => {
    for (const name of ['z', 'Zoë’s “Köder” 🎣', '%', "o'clock", 'a"b\\c', '(2)']) await ensureApp(db, name)
    const names = (await listApps(db)).map(({ name }) => name)
    expect(new Set(names).size).toBe(names.length)
    for (const limit of [1, 3, 1_000]) {
      const found: string[] = []
      let cursor: string | null = ''
      while (cursor !== null) {
        const query = new URLSearchParams({ limit: String(limit), ...(cursor ? { cursor } : {}) })
        const { body } = await ask('GET', `apps?${query}`)
        found.push(...body.apps.map(({ name }: { name: string }) => name))
        cursor = body.next.cursor
      }
      expect(found).toEqual(names)
    }
    for (const query of ['limit=0', 'limit=1001', 'limit=x', 'cursor=x']) {
      expect((await ask('GET', `apps?${query}`)).status).toBe(400)
    }
  })
})

describe('a key', () => {
  const newApp = async (name: string): Promise<string> => (await ask('POST', 'apps', { name })).body.app.id
  const statusWith = async (key: string, api = admin): Promise<number> => {
    const url = '/v2/farcaster/fname/availability?fname=alice'
    return (await api.app.inject({ url, headers: { 'x-api-key': key } })).statusCode
  }

  it('is shown once, at its creation, and valid at once', async () => {
    const appId = await newApp('with a key')
    const { status, body, headers } = await ask('POST', `apps/${appId}/keys`, {})
    expect([status, headers['cache-control']]).toEqual([201, 'no-store'])
    expect(body).toEqual({
      api_key: {
        object: 'api_key',
        id: expect.any(Number),
        app_id: appId,
        prefix: body.key.slice(0, 12),
        rate_limit: null,
        created_at: expect.stringMatching(/Z$/),
        last_used_at: null,
        revoked_at: null,
      },
      key: expect.stringMatching(/^plaza_[\w-]{43}$/),
    })
    expect(await statusWith(body.key)).toBe(200)
    const list = await ask('GET', `apps/${appId}/keys`)
    expect(list.body).toEqual({ api_keys: [body.api_key], next: { cursor: null } })
    expect(JSON.stringify(list.body)).not.toContain(body.key)
    expect((await ask('GET', `apps/${appId}`)).body.app.key_count).toBe(1)
  })

  it('is created without body and content type', async () => {
    expect((await ask('POST', `apps/${await newApp('bodyless')}/keys`)).status).toBe(201)
  })

  it('has the given limit', async () => {
    const appId = await newApp('limited')
    const make = (rate_limit: unknown) => ask('POST', `apps/${appId}/keys`, { rate_limit })
    for (const invalidLimit of [-1, 1.5, '60', 10_000_001, true]) {
      expect(await make(invalidLimit)).toMatchObject({ status: 400, body: { property: 'rate_limit' } })
    }
    const [ownLimit, noLimit, defaultLimit] = [await make(2), await make(0), await make(null)]
    expect([ownLimit, noLimit, defaultLimit].map(({ body }) => body.api_key.rate_limit)).toEqual([2, 0, null])
    const strict = await createAdmin({ rateLimit: 1 })
    const statuses = async ({ body }: Answer) => [
      await statusWith(body.key, strict),
      await statusWith(body.key, strict),
      await statusWith(body.key, strict),
    ]
    expect(await statuses(ownLimit)).toEqual([200, 200, 429])
    expect(await statuses(noLimit)).toEqual([200, 200, 200])
    expect(await statuses(defaultLimit)).toEqual([200, 429, 429])
  })

  it('a new limit applies within a second', async () => {
    let now = Date.now()
    const api = await createAdmin({ clock: () => now })
    const { body } = await api.ask('POST', `apps/${await newApp('growing')}/keys`, { rate_limit: 1 })
    const path = `keys/${body.api_key.id}`
    const headers = { 'x-api-key': body.key }
    const limitNow = async () =>
      (await api.app.inject({ url: '/v2/social/x', headers })).headers['ratelimit-limit']
    expect(await limitNow()).toBe('1')
    expect(await api.ask('PATCH', path, { rate_limit: 600 })).toMatchObject({
      status: 200,
      body: { api_key: { ...body.api_key, rate_limit: 600 } },
    })
    now += 1_000
    expect(await limitNow()).toBe('600')
    await api.ask('PATCH', path, { rate_limit: 0 })
    now += 1_000
    expect(await limitNow()).toBeUndefined()
    for (const change of [{}, { rate_limit: -1 }, { rate_limit: '5' }, { revoked_at: null }]) {
      expect((await api.ask('PATCH', path, change)).status).toBe(400)
    }
    expect((await api.ask('PATCH', 'keys/2147483647', { rate_limit: 5 })).status).toBe(404)
  })

  it('revoked -> refused within a second, and still listed', async () => {
    let now = Date.now()
    const api = await createAdmin({ clock: () => now })
    const appId = await newApp('short of keys')
    const { body } = await api.ask('POST', `apps/${appId}/keys`, {})
    const { body: kept } = await api.ask('POST', `apps/${appId}/keys`, {})
    expect([await statusWith(body.key, api), await statusWith(kept.key, api)]).toEqual([200, 200])
    const revoked = await api.ask('DELETE', `keys/${body.api_key.id}`)
    expect(revoked).toMatchObject({
      status: 200,
      body: { api_key: { revoked_at: expect.stringMatching(/Z$/) } },
    })
    now += 1_000
    expect([await statusWith(body.key, api), await statusWith(kept.key, api)]).toEqual([401, 200])
    // Once more changes nothing.
    expect(await api.ask('DELETE', `keys/${body.api_key.id}`)).toMatchObject({
      status: 200,
      body: revoked.body,
    })
    const { api_keys } = (await api.ask('GET', `apps/${appId}/keys`)).body
    expect(api_keys).toEqual([revoked.body.api_key, kept.api_key])
    expect((await api.ask('GET', `apps/${appId}`)).body.app.key_count).toBe(1)
  })

  it('unknown -> 404', async () => {
    expect(await ask('DELETE', 'keys/2147483647')).toMatchObject({ status: 404, body: { property: 'id' } })
    for (const id of ['0', '-1', 'x', '2147483648', '1e3', `plaza_${'x'.repeat(43)}`]) {
      expect(await ask('DELETE', `keys/${id}`)).toMatchObject({ status: 400, body: { property: 'id' } })
    }
  })

  it('is listed once, oldest first, for any page size', async () => {
    const appId = await newApp('many keys')
    const made: number[] = []
    for (let index = 0; index < 7; index += 1) {
      made.push((await ask('POST', `apps/${appId}/keys`, {})).body.api_key.id)
    }
    const found: number[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const { body } = await ask('GET', `apps/${appId}/keys?limit=3${cursor ? `&cursor=${cursor}` : ''}`)
      found.push(...body.api_keys.map(({ id }: { id: number }) => id))
      cursor = body.next.cursor
    }
    expect(found).toEqual(made)
    const { next } = (await ask('GET', 'apps?limit=1')).body
    expect((await ask('GET', `apps/${appId}/keys?cursor=${next.cursor}`)).status).toBe(400)
  })
})

describe('the admin token', () => {
  const refused = (headers: Record<string, string>, url = '/admin/apps', api = admin) =>
    api.app.inject({ url, headers })

  it('is required on every path, as a bearer token', async () => {
    const { app, key } = await createAdmin()
    const invalidLimit = [
      '',
      'Bearer',
      `Bearer ${token}x`,
      `Bearer ${token.slice(1)}`,
      token,
      `Basic ${token}`,
    ]
    const attempts: [Record<string, string>, string][] = [
      [{}, '/admin/apps'],
      [{}, '/admin'],
      [{}, '/admin/nowhere'],
      ...invalidLimit.map((authorization): [Record<string, string>, string] => [
        { authorization },
        '/admin/apps',
      ]),
    ]
    for (const [headers, url] of attempts) {
      const response = await app.inject({ url, headers })
      expect([response.statusCode, response.headers['www-authenticate']]).toEqual([401, 'Bearer'])
      expect(response.json()).toEqual({
        message: 'the admin token is needed, as authorization: Bearer <token>, or a session of /console',
        code: 'Unauthorized',
        status: 401,
      })
    }
    const fresh = await createAdmin()
    for (const headers of [
      { 'x-api-key': token },
      { 'x-api-key': key },
      { authorization: `Bearer ${key}` },
    ]) {
      expect((await refused(headers, '/admin/apps', fresh)).statusCode).toBe(401)
    }
  })

  it('a path that cannot be decoded -> 400 without the token', async () => {
    const response = await admin.app.inject('/admin/apps/%zz')
    expect([response.statusCode, response.json()]).toMatchObject([400, { code: 'InvalidField', status: 400 }])
  })

  it('is accepted with the scheme in any case', async () => {
    expect((await refused({ authorization: `bearer ${token}` })).statusCode).toBe(200)
  })

  it('does not grant access to the main API', async () => {
    const response = await admin.app.inject({
      url: '/v2/farcaster/fname/availability?fname=alice',
      headers: { 'x-api-key': token, authorization: `Bearer ${token}` },
    })
    expect(response.statusCode).toBe(401)
  })

  it('ten failures from an address -> it waits up to a minute', async () => {
    let now = Date.now()
    const { app } = await createAdmin({ clock: () => now })
    const statusOf = async (authorization: string, remoteAddress = '203.0.113.1') => {
      const response = await app.inject({ url: '/admin/apps', headers: { authorization }, remoteAddress })
      return [response.statusCode, response.headers['retry-after']]
    }
    for (let attempt = 0; attempt < 10; attempt += 1) {
      expect(await statusOf(`Bearer ${attempt}`)).toEqual([401, undefined])
    }
    expect(await statusOf('Bearer 11')).toEqual([429, '60'])
    expect(await statusOf(`Bearer ${token}`)).toEqual([429, '60'])
    expect(await statusOf(`Bearer ${token}`, '203.0.113.2')).toEqual([200, undefined])
    now += 59_001
    expect(await statusOf(`Bearer ${token}`)).toEqual([429, '1'])
    now += 1_000
    expect(await statusOf(`Bearer ${token}`)).toEqual([200, undefined])
  })

  it('successful requests do not count as failures', async () => {
    const statuses = await Promise.all(Array.from({ length: 50 }, () => ask('GET', 'apps')))
    expect(statuses.every(({ status }) => status === 200)).toBe(true)
  })

  it('not configured -> every path is a 404', async () => {
    const { app, get } = await createTestApi({ db })
    for (const [method, url] of [
      ['GET', '/admin'],
      ['GET', '/admin/apps'],
      ['POST', '/admin/apps'],
      ['DELETE', '/admin/keys/1'],
    ] as const) {
      for (const authorization of ['', 'Bearer ', 'Bearer undefined', `Bearer ${token}`]) {
        expect((await app.inject({ method, url, headers: { authorization } })).statusCode).toBe(404)
      }
    }
    expect((await get('fname/availability', { fname: 'alice' })).statusCode).toBe(200)
  })
})

it('logs changes, but no key and no token', async () => {
  const api = await createAdmin()
  const { body } = await api.ask('POST', 'apps', { name: 'logged' })
  const { body: made } = await api.ask('POST', `apps/${body.app.id}/keys`, {})
  await api.app.inject({ url: '/v2/farcaster/nowhere', headers: { 'x-api-key': made.key } })
  await api.app.inject({ url: '/admin/apps', headers: { authorization: `Bearer ${token}x` } })
  await api.app.inject({ url: `/admin/apps?token=${token}`, headers: { authorization: `Bearer ${token}` } })
  await api.ask('DELETE', `keys/${made.api_key.id}`)
  await api.ask('DELETE', `keys/${made.key}`)
  const log = api.lines.join('\n')
  expect(log).toContain(`"params":{"id":"${body.app.id}"}`)
  expect(log).toContain(`"params":{"id":"${made.api_key.id}"}`)
  expect(log).not.toContain(token)
  expect(log).not.toContain(made.key)
  expect(log).not.toContain(made.key.slice(12))
})
