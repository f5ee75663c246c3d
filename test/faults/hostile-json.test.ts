import { describe, expect, it } from 'vitest'
import { requestExample } from '../../src/api/openapi-example.js'
import { pathsOf } from '../../src/api/operation.js'
import { adminOperations } from '../../src/app/admin-operations.js'
import { operations } from '../../src/app/operations.js'
import { createTestApi } from '../../src/app/testing/test-api.js'
import type { Operation } from '../../src/features/operation.js'
import { loginActions } from '../../src/features/sign-in/browser/login-actions.js'
import { answers } from '../../src/features/signers/pages/approval-actions.js'
import { versionOneOperations } from '../../src/features/version-one/operations.js'
import { hubMethods } from '../../src/hub/methods/hub-methods.js'
import { createTestDatabase } from '../database.js'
import { openHubApi } from '../hub-api.js'

// Some send a request for each parameter of each operation, one after another.
const adminToken = 'a-token-of-an-operator-of-32-characters'
const { db } = await createTestDatabase()
const { app, key } = await createTestApi({ db, adminToken })
const hub = await openHubApi(db)

/** Small enough for every route, and far beyond what a recursive reader can follow. */
const deepList = `${'['.repeat(7_500)}${']'.repeat(7_500)}`
const deepObject = `${'{"a":'.repeat(2_000)}1${'}'.repeat(2_000)}`

const hostileBodies: readonly [body: string, refusal: string][] = [
  [`{"more":${deepList}}`, 'more.0.0.0 must not be nested deeper than 64 levels'],
  [`{"more":${deepObject}}`, 'more.a.a.a must not be nested deeper than 64 levels'],
  ['{"more":["\\u0000"]}', 'more.0 must not hold the character U+0000'],
  ['{"more":"\\ud83d"}', 'more must not hold half of a surrogate pair'],
  ['{"more":{"\\udf31":1}}', 'more must not hold half of a surrogate pair'],
  ['{"\\u0000":1}', 'body must not hold the character U+0000'],
]

const uuid = '00000000-0000-4000-8000-000000000000'
const withValues = (path: string, value = uuid) => path.replaceAll(/:\w+|\{\w+\}/g, value)

/** Every route of the server that reads a JSON body. */
const writes: readonly (readonly [method: string, url: string])[] = [
  ...operations
    .filter(({ body }) => body)
    .map(({ method, path }) => [method, pathsOf(path).at(-1)!] as const),
  ...adminOperations
    .filter(({ body }) => body)
    .map(
      ({ method, path }) =>
        [method, withValues(`/admin/${path}`, path.startsWith('keys') ? '1' : uuid)] as const,
    ),
  ...Object.keys(answers).map((name) => ['POST', `/approve/token/${name}`] as const),
  ...Object.keys(loginActions).map((name) => ['POST', `/login/${name}`] as const),
  ['POST', `/f/app/${uuid}/event`],
  ['POST', '/f/host/notifications'],
]

async function reply(method: string, url: string, payload?: string) {
  const answer = await app.inject({
    method: method as 'POST',
    url,
    headers: {
      'x-api-key': key,
      authorization: `Bearer ${adminToken}`,
      ...(payload === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(payload === undefined ? {} : { payload }),
  })
  return { status: answer.statusCode, text: answer.body }
}

describe.each(hostileBodies)('a body %.24s…', (body, refusal) => {
  it('is refused by every route, and the refusal names the member', async () => {
    expect(writes.length).toBeGreaterThan(60)
    for (const [method, url] of writes) {
      const { status, text } = await reply(method, url, body)
      expect([method, url, status, JSON.parse(text).message]).toEqual([method, url, 400, refusal])
    }
  })
})

it('a body of 64 levels passes', async () => {
  const levels = (count: number) => `{"more":${'['.repeat(count - 1)}${']'.repeat(count - 1)}}`
  const message = async (count: number) =>
    JSON.parse((await reply('POST', '/v2/farcaster/message', levels(count))).text).message
  expect(await message(64)).not.toContain('nested')
  expect(await message(65)).toBe('more.0.0.0 must not be nested deeper than 64 levels')
})

it('long names of members are not repeated whole', async () => {
  const { text } = await reply('POST', '/v2/farcaster/message', `{"${'a'.repeat(100_000)}":"\\u0000"}`)
  expect(text.length).toBeLessThan(1_000)
})

/** Operations of version 1 are in no document and have no examples. */
function exampleOf(operation: Operation): Readonly<Record<string, unknown>> {
  return versionOneOperations.includes(operation)
    ? { fid: 1, username: 'alice', hash: `0x${'ab'.repeat(20)}` }
    : requestExample(operation)
}

/** U+0000, half of a surrogate pair in UTF-8, and what is no UTF-8. */
const hostileTexts = ['%00', 'a%00b', '%ED%A0%BD', '%FF']

it('no parameter of a query is a server error', async () => {
  const reads = [
    ...operations.map((operation) => [pathsOf(withValues(operation.path))[0], operation] as const),
    ...versionOneOperations.map((operation) => [`/v1/farcaster/${operation.path}`, operation] as const),
  ].filter(([, { method }]) => method === 'GET')
  for (const [url, operation] of reads) {
    const example = exampleOf(operation)
    for (const name of Object.keys(operation.query?.properties ?? {})) {
      const query = new URLSearchParams()
      for (const [other, value] of Object.entries(example)) {
        if (other !== name) query.set(other, String(value))
      }
      for (const text of hostileTexts) {
        const target = `${url}?${query}&${name}=${text}`
        const { status } = await reply('GET', target)
        expect([target, status]).not.toEqual([target, 500])
      }
    }
  }
})

it('no part of a path is a server error', async () => {
  const paths = [
    ...operations.map(({ path }) => pathsOf(path)[0]),
    ...adminOperations.map(({ path }) => `/admin/${path}`),
    '/approve/{token}',
    '/approve/{token}/status',
    '/approve/{token}/picture',
    '/login?client_id={id}',
    '/login/picture?client_id={id}',
    '/pay/{id}',
    '/pay/{id}/status',
    '/nft/metadata/{network}/{address}/{token}',
    '/f/frames/{frame}',
    '/f/frames/{frame}/{page}',
  ].filter((path) => /[:{]/.test(path))
  for (const path of paths) {
    for (const text of hostileTexts) {
      const url = withValues(path, text)
      const { status } = await reply('GET', url)
      expect([url, status]).not.toEqual([url, 500])
    }
  }
})

it('no parameter of the hub is a server error', async () => {
  const others = 'fid=1&target_fid=1&reaction_type=1&shard_index=0&shard_id=0&event_type=1'
  const deepToken = Buffer.from(deepList).toString('base64')
  const paths = new Set(hubMethods.flatMap(({ kind, http }) => (kind === 'read' && http ? http.path : [])))
  for (const path of paths) {
    for (const name of [
      'url',
      'name',
      'link_type',
      'channel_key',
      'target_url',
      'hash',
      'target_hash',
      'address',
    ]) {
      for (const text of hostileTexts) {
        const { status } = await hub.get(`/v1${path}?${others}&${name}=${text}`)
        expect([path, name, text, status]).not.toEqual([path, name, text, 500])
      }
    }
    const { status } = await hub.get(`/v1${path}?${others}&page_token=${encodeURIComponent(deepToken)}`)
    expect([path, status]).not.toEqual([path, 500])
  }
})
