import { Type } from '@sinclair/typebox'
import { expect, it } from 'vitest'
import { createTestDatabase } from '../../test/database.js'
import { createTestApi } from '../app/testing/test-api.js'
import { createApiKey, listApiKeys, revokeApiKey } from '../features/apps/api-keys.js'
import { ensureApp } from '../features/apps/apps.js'
import { defineOperation } from '../features/operation.js'
import { type Json, json } from '../graph/view/json.js'
import { connect } from '../platform/db/connection.js'
import { PlazaError } from '../platform/errors.js'
import { type ChargeWork, createWorkLimits } from '../platform/limits/work-limits.js'
import { OtherReply, type PriceOf } from './operation.js'
import { fidParameter, listParameter, textParameter } from './parameters.js'

const { db } = await createTestDatabase()

const echoOperation = (path: string, handle: (charge: ChargeWork) => Promise<Json>, price?: PriceOf) =>
  defineOperation({
    method: 'GET',
    path,
    tag: 'Users',
    summary: 'For the test',
    description: 'Does what the test needs.',
    query: Type.Object({}),
    reply: Type.Object({}),
    ...(price && { price }),
    handle: async (_context, _input, _caller, _headers, charge) => await handle(charge),
  })

const operations = [
  echoOperation('fine', async () => json`{"a":1}`),
  echoOperation('broken', async () => {
    throw new Error('the secret reason')
  }),
  echoOperation('missing', async () => {
    throw new PlazaError('not_found', 'there is no such thing', { property: 'fid' })
  }),
  echoOperation('forbidden', async () => {
    throw new PlazaError('forbidden', 'not you')
  }),
  echoOperation('away', async () => {
    throw new PlazaError('unavailable', 'not now')
  }),
  defineOperation({
    method: 'POST',
    path: 'made',
    tag: 'Users',
    summary: 'For the test',
    description: 'Does what the test needs.',
    body: Type.Object({}),
    reply: Type.Object({}),
    otherReplies: { 201: { description: 'Made.', reply: Type.Object({}) } },
    handle: async () => new OtherReply(201, {}),
  }),
]

const listing = (price: PriceOf = () => null) =>
  defineOperation({
    method: 'GET',
    path: 'listed',
    tag: 'Users',
    summary: 'For the test',
    description: 'Does what the test needs.',
    query: Type.Object({
      fids: listParameter(fidParameter({ description: '' }), { description: '', maxItems: 5 }),
      name: Type.Optional(textParameter({ description: '' })),
    }),
    reply: Type.Object({}),
    price,
    handle: async (_context, { fids, name = '' }) => json`{"fids":${fids},"name":${name}}`,
  })

it('lists with brackets, as axios writes them, are those without, also for the price', async () => {
  const priced: unknown[] = []
  const operation = listing((query) => {
    priced.push(query.fids)
    return null
  })
  const { get } = await createTestApi({ db, operations: [operation] })
  const replyTo = async (query: string) => (await get(`listed?${query}`)).json()
  expect(await replyTo('fids[]=1&fids[]=2')).toEqual({ fids: [1, 2], name: '' })
  expect(await replyTo('fids%5B%5D=3')).toEqual({ fids: [3], name: '' })
  // Both forms together, and what takes one value knows no brackets.
  expect(await replyTo('fids=1,2&fids[]=3&name[]=x')).toEqual({ fids: [1, 2, 3], name: '' })
  expect(priced).toEqual([['1', '2'], ['3'], ['1,2', '3']])
  expect(await replyTo('fids[]=x')).toMatchObject({ code: 'InvalidField', property: 'fids' })
})

it('lists with indexes, as PHP writes them, are read by their indexes', async () => {
  const { get } = await createTestApi({ db, operations: [listing()] })
  const replyTo = async (query: string) => (await get(`listed?${query}`)).json()
  expect(await replyTo('fids%5B0%5D=3&fids%5B1%5D=1')).toEqual({ fids: [3, 1], name: '' })
  expect(await replyTo('fids[10]=4&fids[2]=3&fids=1,2')).toEqual({ fids: [1, 2, 3, 4], name: '' })
  expect(await replyTo('fids[0]=1,2&fids[]=3&fids[0]=4')).toEqual({ fids: [1, 2, 4, 3], name: '' })
  // What takes one value has no index, and an index has at most three digits.
  expect(await replyTo('fids[0]=1&name[0]=x&fids[1000]=2&fids[a]=3')).toEqual({ fids: [1], name: '' })
  expect(await replyTo('fids[0]=x')).toMatchObject({ code: 'InvalidField', property: 'fids' })
})

it('HEAD runs an operation that reads, and none that changes something', async () => {
  let changes = 0
  const changing = defineOperation({
    method: 'GET',
    isChange: true,
    path: 'taken',
    tag: 'Users',
    summary: 'For the test',
    description: 'Does what the test needs.',
    query: Type.Object({}),
    reply: Type.Object({}),
    handle: async () => json`{"changes":${++changes}}`,
  })
  const { app, key } = await createTestApi({ db, operations: [...operations, changing] })
  const headers = { 'x-api-key': key }
  const statusOf = async (method: 'GET' | 'HEAD', name: string) =>
    (await app.inject({ method, url: `/v2/farcaster/${name}`, headers })).statusCode
  expect(await statusOf('HEAD', 'fine')).toBe(200)
  expect(await statusOf('GET', 'taken')).toBe(200)
  expect([await statusOf('HEAD', 'taken'), await statusOf('HEAD', 'nowhere')]).toEqual([404, 404])
  expect(changes).toBe(1)
})

it('Prefer: handling=strict is applied to bodies, also to one that is refused', async () => {
  const { app, key } = await createTestApi({ db, operations })
  const headers = { 'x-api-key': key, prefer: 'handling=strict' }
  const applied = async (method: 'GET' | 'POST', url: string, payload?: object) => {
    const response = await app.inject({
      method,
      url: `/v2/farcaster/${url}`,
      headers,
      ...(payload && { payload }),
    })
    return [response.statusCode, response.headers['preference-applied']]
  }
  expect(await applied('POST', 'made', {})).toEqual([201, 'handling=strict'])
  expect(await applied('POST', 'made', { unknown: 1 })).toEqual([400, 'handling=strict'])
  expect(await applied('GET', 'fine?unknown=1')).toEqual([200, undefined])
})

it.each(['/v2/social/fine', '/v2/social/fine/', '/v2/farcaster/fine', '/v2/farcaster/fine/'])(
  'answers at %s',
  async (url) => {
    const { app, key } = await createTestApi({ db, operations })
    const response = await app.inject({ url, headers: { 'x-api-key': key } })
    expect([response.statusCode, response.body]).toEqual([200, '{"a":1}'])
    expect(response.headers['content-type']).toBe('application/json; charset=utf-8')
  },
)

const withCharset = (charset: string) => `application/json; charset=${charset}`

it.each([
  ['a list', '[]', 'application/json', 'the body must be a JSON object'],
  ['not UTF-8', Buffer.from('{"a":"caf\xe9"}', 'latin1'), 'application/json', 'the body is not UTF-8'],
  [
    'half a character',
    Buffer.from('{"a":"\xf0\x9f\x8c"}', 'latin1'),
    withCharset('utf-8'),
    'the body is not UTF-8',
  ],
  ['of another charset', '{}', withCharset('iso-8859-1'), 'the charset of the body must be utf-8'],
  ['of a quoted charset', '{}', withCharset('"UTF-16"'), 'the charset of the body must be utf-8'],
  ['a text', '"made"', 'application/json', 'the body must be a JSON object'],
  ['no JSON', '{"a":', 'application/json', expect.stringContaining('JSON')],
  ['a form', 'a=1', 'application/x-www-form-urlencoded', expect.stringContaining('must be JSON')],
])('a body that is %s -> 400 with errors', async (_what, payload, contentType, message) => {
  const { app, key } = await createTestApi({ db, operations })
  const headers = { 'x-api-key': key, 'content-type': contentType }
  const reply = await app.inject({ method: 'POST', url: '/v2/farcaster/made', headers, payload })
  expect(reply.statusCode).toBe(400)
  expect(reply.json()).toEqual({
    message,
    code: 'InvalidField',
    property: 'body',
    status: 400,
    errors: [
      {
        code: 'custom',
        expected: 'a valid value',
        received: 'an invalid value',
        message,
        path: ['body'],
      },
    ],
  })
})

it.each(['utf-8', 'UTF-8', '"utf-8"', 'utf8', 'us-ascii'])(
  'a body with charset=%s is read as UTF-8',
  async (charset) => {
    const { app, key } = await createTestApi({ db, operations })
    const headers = { 'x-api-key': key, 'content-type': withCharset(charset) }
    for (const payload of ['{"a":"café"}', '\ufeff{"a":"café"}', '']) {
      const reply = await app.inject({ method: 'POST', url: '/v2/farcaster/made', headers, payload })
      expect(reply.statusCode).toBe(201)
    }
  },
)

it.each([
  { 'content-type': '' },
  { 'content-type': 'json' },
  { 'content-type': 'application/json; charset=utf-16' },
])('an empty body with %j is none', async (given) => {
  const { app, key } = await createTestApi({ db, operations })
  for (const length of [{}, { 'content-length': '0' }]) {
    const headers = { 'x-api-key': key, ...given, ...length } as Record<string, string>
    const reply = await app.inject({ method: 'POST', url: '/v2/farcaster/made', headers })
    expect(reply.statusCode).toBe(201)
  }
})

it('a missing or wrong key -> 401, on any path', async () => {
  const { app } = await createTestApi({ db, operations })
  const body = { code: 'Unauthorized', status: 401, message: expect.stringContaining('x-api-key') }
  for (const url of ['/v2/social/fine', '/v2/social/nowhere']) {
    const response = await app.inject(url)
    expect([response.statusCode, response.json()]).toEqual([401, body])
  }
  for (const key of ['', 'wrong', 'x'.repeat(8_000)]) {
    const response = await app.inject({ url: '/v2/social/fine', headers: { 'x-api-key': key } })
    expect([response.statusCode, response.json()]).toEqual([401, body])
  }
})

it('made-up keys -> 429 without a lookup; keys that were valid before are not shut out', async () => {
  let now = Date.now()
  const { app, key, appId } = await createTestApi({ db, operations, clock: () => now })
  const ask = async (apiKey: string, remoteAddress = '127.0.0.1') => {
    const headers = { 'x-api-key': apiKey }
    return await app.inject({ url: '/v2/social/fine', headers, remoteAddress })
  }
  const { key: unseen } = await createApiKey(db, { appId })
  expect((await ask(key)).statusCode).toBe(200)
  for (let count = 0; count < 120; count += 1) expect((await ask(`made-up ${count}`)).statusCode).toBe(401)
  expect((await ask('made-up 0')).statusCode, 'cached').toBe(401)
  const refused = await ask('made-up 120')
  expect([refused.statusCode, refused.headers['retry-after']]).toEqual([429, '1'])
  now += 10
  expect((await ask(unseen)).statusCode).toBe(429)
  expect((await ask(unseen, '192.0.2.7')).statusCode).toBe(200)
  // Its cache has expired, and it is looked up again.
  now += 1_000
  expect((await ask('made-up 121')).statusCode).toBe(401)
  expect((await ask(key)).statusCode).toBe(200)
})

it('refuses a revoked key within a second', async () => {
  let now = Date.now()
  const { app } = await createTestApi({ db, operations, clock: () => now })
  const { key } = await createApiKey(db, { appId: await ensureApp(db, 'short-lived') })
  const ask = async () =>
    (await app.inject({ url: '/v2/social/fine', headers: { 'x-api-key': key } })).statusCode
  expect(await ask()).toBe(200)
  const { id } = (await listApiKeys(db)).find(({ app }) => app === 'short-lived')!
  expect(await revokeApiKey(db, id)).toMatchObject({ isNew: true })
  now += 1_000
  expect(await ask()).toBe(401)
})

it('an unknown path -> 404 with ErrorRes', async () => {
  const { get } = await createTestApi({ db, operations })
  const response = await get('nowhere', { token: 'secret' })
  expect(response.statusCode).toBe(404)
  expect(response.json()).toEqual({
    message: 'no operation GET /v2/farcaster/nowhere',
    code: 'NotFound',
    status: 404,
  })
})

it('an unknown object -> 404 with property', async () => {
  const { get } = await createTestApi({ db, operations })
  const response = await get('missing')
  expect(response.statusCode).toBe(404)
  expect(response.json()).toEqual({
    message: 'there is no such thing',
    code: 'NotFound',
    property: 'fid',
    status: 404,
  })
})

it('an internal error -> only the request id of the log', async () => {
  const { get, lines } = await createTestApi({ db, operations })
  const response = await get('broken')
  const id = response.headers['x-request-id']
  expect(response.statusCode).toBe(500)
  expect(response.json()).toEqual({
    message: `internal error, request ${id}`,
    code: 'InternalError',
    status: 500,
  })
  const logged = lines.map((line) => JSON.parse(line)).find((line) => line.err)
  expect(logged).toMatchObject({ reqId: id, err: { message: 'the secret reason' } })
})

it('an unreachable database -> 503 with Retry-After', async () => {
  const { app, key } = await createTestApi({ db, operations })
  const disconnectedDb = connect('postgres://localhost:1/nowhere', { poolSize: 1, applicationName: 'away' })
  const { app: disconnectedApp } = await createTestApi({ db: disconnectedDb, operations, key })
  const response = await disconnectedApp.inject({ url: '/v2/social/fine', headers: { 'x-api-key': key } })
  expect([response.statusCode, response.headers['retry-after']]).toEqual([503, '1'])
  expect(response.json()).toMatchObject({ code: 'Unavailable', status: 503 })
  await Promise.all([disconnectedDb.end(), app.close(), disconnectedApp.close()])
})

it('above the limit -> 429 with Retry-After', async () => {
  let now = Date.now()
  const { app, get, key } = await createTestApi({ db, operations, rateLimit: 2, clock: () => now })
  const rateLimitHeaders = ({ headers }: { headers: Record<string, unknown> }) =>
    ['limit', 'remaining', 'reset'].map((name) => headers[`ratelimit-${name}`])

  expect(rateLimitHeaders(await get('fine'))).toEqual(['2', '1', '30'])
  expect(rateLimitHeaders(await get('missing'))).toEqual(['2', '0', '60'])
  const refused = await get('fine')
  expect([refused.statusCode, refused.headers['retry-after'], ...rateLimitHeaders(refused)]).toEqual([
    429,
    '30',
    '2',
    '0',
    '60',
  ])
  expect(refused.json()).toEqual({
    message: 'more than 2 requests a minute',
    code: 'RateLimited',
    status: 429,
  })

  const { key: other } = await createApiKey(db, { appId: await ensureApp(db, 'test'), rateLimit: 5 })
  const ownHeaders = await app.inject({ url: '/v2/social/fine', headers: { 'x-api-key': other } })
  expect(rateLimitHeaders(ownHeaders)).toEqual(['5', '4', '12'])
  expect(key).not.toBe(other)

  now += 30_000
  expect((await get('fine')).statusCode).toBe(200)
})

it('a key with a limit -> rate headers on every reply', async () => {
  const { app, key } = await createTestApi({ db, operations, rateLimit: 100, clock: () => 0 })
  type Request = { url: string; method?: 'GET' | 'POST' | 'DELETE'; payload?: string; type?: string }
  const requests: [number, Request][] = [
    [200, { url: '/v2/social/fine' }],
    [201, { url: '/v2/social/made', method: 'POST', payload: '{}' }],
    [400, { url: '/v2/social/made', method: 'POST', payload: '[1]' }],
    [400, { url: '/v2/social/made', method: 'POST', payload: '{' }],
    [400, { url: '/v2/social/made', method: 'POST', payload: 'x', type: 'text/plain' }],
    [403, { url: '/v2/social/forbidden' }],
    [404, { url: '/v2/social/missing' }],
    [404, { url: '/v2/social/nowhere' }],
    [404, { url: '/v2/social/fine', method: 'DELETE' }],
    [413, { url: '/v2/social/made', method: 'POST', payload: JSON.stringify('x'.repeat(1_100_000)) }],
    [500, { url: '/v2/social/broken' }],
    [503, { url: '/v2/social/away' }],
  ]
  for (const [index, [status, { url, method = 'GET', payload, type }]] of requests.entries()) {
    const response = await app.inject({
      url,
      method,
      headers: {
        'x-api-key': key,
        ...(payload === undefined ? {} : { 'content-type': type ?? 'application/json' }),
      },
      ...(payload === undefined ? {} : { payload }),
    })
    expect([response.statusCode, response.headers['ratelimit-limit']]).toEqual([status, '100'])
    expect(response.headers['ratelimit-remaining']).toBe(String(99 - index))
  }
})

it('a malformed heavy request is refused before it is paid for', async () => {
  const price = { lane: 'reads', msPerRequest: 1_000, msPerKb: 0 } as const
  const body = Type.Object({ name: textParameter({ description: '' }) })
  const heavy = defineOperation({
    method: 'POST',
    path: 'heavy',
    tag: 'Users',
    summary: 'For the test',
    description: 'Does what the test needs.',
    body,
    headers: Type.Object({ 'x-color': Type.Optional(Type.Literal('red')) }),
    reply: body,
    price: () => price,
    handle: async (_context, { name }) => ({ name }),
  })
  const workLimits = createWorkLimits({ clock: () => 0, budgetMs: 1_000, refusalMs: 0 })
  const { get, send } = await createTestApi({ db, operations: [listing(() => price), heavy], workLimits })
  const named = { name: 'a' }
  const replies = [
    await get('listed', { fids: 'x' }),
    await send('POST', 'heavy', {}),
    await send('POST', 'heavy', named, { 'x-color': 'blue' }),
    await send('POST', 'heavy', named),
    await send('POST', 'heavy', named),
    // Also by a caller with nothing left.
    await send('POST', 'heavy', {}),
  ]
  expect(replies.map(({ statusCode }) => statusCode)).toEqual([400, 400, 400, 200, 429, 400])
})

it('what is charged within a request: once, and nothing beside its own price', async () => {
  const more = { lane: 'reads', msPerRequest: 100, msPerKb: 0 } as const
  const chargeTwice = async (charge: ChargeWork) => {
    await Promise.all([charge(more), charge(more)])
    return json`{}`
  }
  const operations = [
    echoOperation('free', chargeTwice),
    echoOperation('priced', chargeTwice, () => ({ ...more, msPerRequest: 10 })),
  ]
  // A second place beside its own would never be free.
  const workLimits = createWorkLimits({ clock: () => 0, budgetMs: 1_000, refusalMs: 0, concurrency: 1 })
  const { get } = await createTestApi({ db, operations, workLimits })
  const replies = [await get('free'), await get('priced')]
  expect(replies.map(({ statusCode, headers }) => [statusCode, headers['ratelimit-remaining']])).toEqual([
    [200, '900'],
    [200, '890'],
  ])
})

it('401 and preflight -> no rate headers', async () => {
  const { app, key } = await createTestApi({ db, operations, rateLimit: 1 })
  const replies = [
    await app.inject('/v2/social/fine'),
    await app.inject({ url: '/v2/social/fine', headers: { 'x-api-key': 'wrong' } }),
    await app.inject({ method: 'OPTIONS', url: '/v2/social/fine', headers: { 'x-api-key': key } }),
  ]
  expect(replies.map(({ statusCode }) => statusCode)).toEqual([401, 401, 204])
  for (const { headers } of replies) expect(headers).not.toHaveProperty('ratelimit-limit')
})

it('counts nothing without a limit', async () => {
  const { get } = await createTestApi({ db, operations })
  expect((await get('fine')).headers).not.toHaveProperty('ratelimit-limit')
})

it('allows cross-origin requests with a key', async () => {
  const { app } = await createTestApi({ db, operations })
  const response = await app.inject({
    method: 'OPTIONS',
    url: '/v2/farcaster/fine',
    headers: { 'access-control-request-headers': 'x-api-key,x-sdk' },
  })
  expect(response.statusCode).toBe(204)
  expect(response.headers).toMatchObject({
    'access-control-allow-origin': '*',
    'access-control-allow-headers': 'x-api-key,x-sdk',
  })
})
