import { expect, it } from 'vitest'
import { createTestDatabase } from '../../test/database.js'
import { createTestHub } from '../../test/hub.js'
import { testNowUnix } from '../../test/network.js'
import { createTestApi } from '../app/testing/test-api.js'
import { createApiKeyCache } from '../features/apps/api-key-cache.js'
import { createApiKey } from '../features/apps/api-keys.js'
import { createApp } from '../features/apps/apps.js'
import { limits } from '../platform/limits/limits.js'
import { createUnknownCredentials, type UnknownCredentials } from './unknown-credentials.js'

const most = limits.unknownCredentials.default
const MANY = 3 * most
const ADDRESS = '192.0.2.1'
const clock = () => testNowUnix * 1000

/** Looks up many credentials at once, of which those below `found` are found. Counts how each lookup ends. */
async function lookUpMany(credentials = createUnknownCredentials(clock), found = 0) {
  let looks = 0
  let atOnce = 0
  let mostAtOnce = 0
  const look = async (credential: number) => {
    looks += 1
    mostAtOnce = Math.max(mostAtOnce, ++atOnce)
    await Promise.resolve()
    atOnce -= 1
    return credential < found ? credential : null
  }
  const results = await Promise.allSettled(
    Array.from({ length: MANY }, async (_, credential) =>
      credentials.lookUpFrom(ADDRESS)(() => look(credential)),
    ),
  )
  const refused = results.filter(({ status }) => status === 'rejected')
  for (const { reason } of refused as PromiseRejectedResult[])
    expect(reason).toMatchObject({ code: 'bad_request.rate_limited' })
  return { looks, mostAtOnce, refused: refused.length }
}

it('made-up keys at the same time -> as many lookups as one after the other', async () => {
  const credentials = createUnknownCredentials(clock)
  expect(await lookUpMany(credentials)).toEqual({ looks: most, mostAtOnce: most, refused: MANY - most })
  expect(() => credentials.lookUpFrom(ADDRESS)(async () => null)).toThrow('too many unknown API keys')
  expect(await credentials.lookUpFrom('192.0.2.2')(async () => 'found')).toBe('found')
})

it('valid keys at the same time -> all are found, some after others', async () => {
  const credentials = createUnknownCredentials(clock)
  const allFound = { looks: MANY, mostAtOnce: most, refused: 0 }
  expect(await lookUpMany(credentials, MANY)).toEqual(allFound)
  expect(await lookUpMany(credentials, MANY)).toEqual(allFound)
})

it('lookups that fail do not count', async () => {
  const credentials = createUnknownCredentials(clock)
  const away = async () => Promise.reject(new Error('the database is away'))
  for (let failure = 0; failure < MANY; failure += 1)
    await expect(credentials.lookUpFrom(ADDRESS)(away)).rejects.toThrow('away')
  expect(await credentials.lookUpFrom(ADDRESS)(async () => 'found')).toBe('found')
})

/** Starts lookups that end when they are told to. */
function startLookUps(credentials: UnknownCredentials, count: number) {
  const ends: ((found: string | null) => void)[] = []
  const results = Array.from({ length: count }, () =>
    credentials.lookUpFrom(ADDRESS)(() => new Promise<string | null>((end) => ends.push(end))),
  )
  return { ends, results }
}

it('a token that comes back with time goes to those that wait first, and not to one that arrives later', async () => {
  let nowMs = clock()
  const credentials = createUnknownCredentials(() => nowMs)
  const { ends } = startLookUps(credentials, most)
  const order: string[] = []
  const ask = (name: string) =>
    credentials.lookUpFrom(ADDRESS)(async () => {
      order.push(name)
      return null
    })
  const first = ask('first')
  nowMs += 60_000 / most
  const second = ask('second')
  ends[0]!(null)

  await first
  nowMs += 60_000 / most
  ends[1]!(null)
  await second
  expect(order).toEqual(['first', 'second'])
})

it('lookups that wait beyond 1,000 of an address are refused at once', async () => {
  const credentials = createUnknownCredentials(clock)
  const { ends, results } = startLookUps(credentials, most + 1_000)

  expect(() => startLookUps(credentials, 1)).toThrow('too many unknown API keys')
  expect(await credentials.lookUpFrom('192.0.2.2')(async () => 'found')).toBe('found')
  for (let ended = 0; ended < results.length; ended += 1) {
    ends[ended]!('found')
    await results[ended]
  }
})

it('a lookup that waits too long is refused, and gives its turn to the next', async () => {
  const credentials = createUnknownCredentials(clock, 20)
  const { ends, results } = startLookUps(credentials, most + 1)
  await expect(results[most]).rejects.toMatchObject({ code: 'bad_request.rate_limited' })

  const next = credentials.lookUpFrom(ADDRESS)(async () => 'found')
  for (const end of ends) end('found')
  expect(await next).toBe('found')
  await Promise.all(results.slice(0, most))
})

const { db } = await createTestDatabase()

it('requests with made-up keys at the same time -> 401 up to the limit, and 429', async () => {
  const { app } = await createTestApi({ db, hub: await createTestHub(db), clock })
  const replies = await Promise.all(
    Array.from({ length: MANY }, (_, n) =>
      app.inject({ url: '/v2/farcaster/user/bulk?fids=1', headers: { 'x-api-key': `made up ${n}` } }),
    ),
  )
  const statuses = replies.map(({ statusCode }) => statusCode)
  expect(statuses.filter((status) => status === 401)).toHaveLength(most)
  expect(statuses.filter((status) => status === 429)).toHaveLength(MANY - most)
})

it('a key that two addresses ask for at once -> each is refused for itself alone', async () => {
  const keys = createApiKeyCache(db, clock)
  const { id: appId } = await createApp(db, { name: 'orchard' })
  const { key } = await createApiKey(db, { appId })
  const credentials = createUnknownCredentials(clock)
  const { ends, results } = startLookUps(credentials, most)
  const waiting = keys.find(key, credentials.lookUpFrom(ADDRESS))
  const refused = expect(waiting).rejects.toMatchObject({ code: 'bad_request.rate_limited' })
  const other = keys.find(key, credentials.lookUpFrom('192.0.2.2'))
  for (const end of ends) end(null)

  await Promise.all(results)
  await refused
  expect(await other).not.toBeNull()
})
