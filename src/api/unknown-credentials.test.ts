import { expect, it } from 'vitest'
import { createTestDatabase } from '../../test/database.js'
import { createTestHub } from '../../test/hub.js'
import { testNowUnix } from '../../test/network.js'
import { createTestApi } from '../app/testing/test-api.js'
import { limits } from '../platform/limits/limits.js'
import { createUnknownCredentials } from './unknown-credentials.js'

const most = limits.unknownCredentials.default
const MANY = 3 * most
const ADDRESS = '192.0.2.1'
const clock = () => testNowUnix * 1000

/** Looks up many credentials at once, of which those below `found` are found. Counts how each look-up ends. */
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

it('made-up keys at the same time -> as many look-ups as one after the other', async () => {
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

it('look-ups that fail do not count', async () => {
  const credentials = createUnknownCredentials(clock)
  const away = async () => Promise.reject(new Error('the database is away'))
  for (let failure = 0; failure < MANY; failure += 1)
    await expect(credentials.lookUpFrom(ADDRESS)(away)).rejects.toThrow('away')
  expect(await credentials.lookUpFrom(ADDRESS)(async () => 'found')).toBe('found')
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
