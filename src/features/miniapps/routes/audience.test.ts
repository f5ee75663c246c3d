import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase } from '../../../../test/database.js'
import { distanceKm } from '../../../platform/geo/distance.js'
import { createNetClient } from '../../../platform/outbound/net-client.js'
import { startClient } from '../campaigns/testing/client-simulator.js'
import { fidOf, fidsFrom, grantTokens } from '../campaigns/testing/token-rows.js'
import { createMiniApp } from './testing/mini-app.js'

const { db } = await createTestDatabase()
const net = createNetClient({ policy: { allowHttp: true, allowLoopback: true }, userAgent: 'plaza test' })
afterAll(() => net.close())
const parts = { db, net }
const CLIENT = 9152

/** A user of the test, as the read model has one. */
interface Person {
  readonly fid: number
  readonly score: number | null
  readonly latitude: number | null
  readonly longitude: number | null
  readonly follows: readonly number[]
}

/** Around Berlin, on both sides of the date line, or in Anchorage; some say no place. */
function placeOf(fid: number): Pick<Person, 'latitude' | 'longitude'> {
  if (fid % 5 === 0) return { latitude: null, longitude: null }
  if (fid % 8 === 1) return { latitude: 61.22, longitude: -149.9 }
  if (fid % 2 === 0) return { latitude: 52 + (fid % 13) / 10, longitude: 13 + (fid % 10) / 10 }
  return { latitude: -17 + (fid % 9) / 10, longitude: fid % 3 === 0 ? 179.5 : -179.7 }
}

const people: Person[] = fidsFrom(1, 60).map((fid) => ({
  fid,
  score: fid % 7 === 0 ? null : (fid % 11) / 10,
  ...placeOf(fid),
  follows: [101, 102].filter((target) => (fid * target) % 3 === 0),
}))

beforeAll(async () => {
  for (const { fid, score, latitude, longitude, follows } of people) {
    const location = latitude === null ? null : `geo:${latitude.toFixed(2)},${longitude!.toFixed(2)}`
    await db`
      insert into social.users (fid, custody_address, registered_at, score, location)
      values (${fid}, '\\x00', 0, ${score}, ${location})`
    for (const target of follows) {
      await db`insert into social.follows (fid, target_fid, ts, signer) values (${fid}, ${target}, 0, '\\x00')`
    }
  }
})

const places = [
  { latitude: 52.5, longitude: 13.4 },
  { latitude: -16.8, longitude: 179.9 },
  { latitude: 0, longitude: 0 },
  // Anchorage is 6,570 km away, over the pole.
  { latitude: 59.33, longitude: 18.07 },
]

const filters = fc.record(
  {
    exclude_fids: fc.uniqueArray(fc.integer({ min: 0, max: 70 }), { maxLength: 20 }),
    following_fid: fc.constantFrom(0, 101, 102),
    minimum_user_score: fc.constantFrom(0, 0.1, 0.5, 0.7, 1),
    near_location: fc
      .record({
        place: fc.constantFrom(...places),
        radius: fc.constantFrom(0, 30_000, 120_000, 7_000_000, 20_100_000),
      })
      .map(({ place, radius }) => ({ ...place, radius })),
  },
  { requiredKeys: [] },
)
const targets = fc.option(fc.uniqueArray(fc.integer({ min: 1, max: 70 }), { maxLength: 40 }), {
  nil: undefined,
})

interface Filters {
  readonly exclude_fids?: readonly number[]
  readonly following_fid?: number
  readonly minimum_user_score?: number
  readonly near_location?: { readonly latitude: number; readonly longitude: number; readonly radius: number }
}

/** The filters in their plainest form. */
function isInAudience(
  { fid, score, latitude, longitude, follows }: Person,
  target_fids: readonly number[] | undefined,
  { exclude_fids = [], following_fid, minimum_user_score = 0, near_location: near }: Filters,
): boolean {
  return (
    ((target_fids ?? []).length === 0 || target_fids!.includes(fid)) &&
    !exclude_fids.includes(fid) &&
    (following_fid === undefined || follows.includes(following_fid)) &&
    (score ?? 0) >= minimum_user_score &&
    (near === undefined ||
      (latitude !== null &&
        distanceKm(near.latitude, near.longitude, latitude, longitude!) <= near.radius / 1_000))
  )
}

it('is the targets that pass every filter', async () => {
  const { appId, api } = await createMiniApp(parts)
  await grantTokens(db, { appId, clientFid: CLIENT, url: 'https://client.example/', fids: fidsFrom(1, 60) })
  await fc.assert(
    fc.asyncProperty(targets, filters, async (target_fids, audienceFilters) => {
      const body = { ...(target_fids === undefined ? {} : { target_fids }), filters: audienceFilters }
      const reply = (await api.send('POST', 'frame/notifications/preview', body)).json()
      const audienceFids = people.filter((person) => isInAudience(person, target_fids, audienceFilters))
      const named = (target_fids ?? []).length === 0 ? 60 : target_fids!.length
      expect(reply.tokens).toBe(audienceFids.length)
      const excludedFids = reply.left_out.reduce(
        (sum: number, { tokens }: { tokens: number }) => sum + tokens,
        0,
      )
      expect(reply.tokens + excludedFids).toBe(named)
    }),
    { numRuns: 60 },
  )
})

it.each([1e-50, 7e-46, 1.5e-45])(
  'a minimum score of %d, which may be 0 as a float4, is no error',
  async (minimum) => {
    const { appId, api, preview } = await createMiniApp(parts)
    await grantTokens(db, { appId, clientFid: CLIENT, url: 'https://client.example/', fids: fidsFrom(1, 60) })
    const body = { filters: { minimum_user_score: minimum } }
    const scored = people.filter(({ score }) => Math.fround(score ?? 0) >= Math.fround(minimum))
    expect(await preview(body)).toMatchObject({ tokens: scored.length })
    expect((await api.send('POST', 'frame/notifications/map', body)).json()).toMatchObject({
      users: scored.length,
    })
  },
)

it('is the same in the preview and when sent', async () => {
  const client = await startClient()
  const { appId, send, preview } = await createMiniApp(parts, { intervalSeconds: 0 })
  await grantTokens(db, { appId, clientFid: CLIENT, url: client.url(), fids: fidsFrom(1, 60) })
  const overThePole = { near_location: { ...places[3]!, radius: 7_000_000 } }
  for (const audienceFilters of [overThePole, ...fc.sample(filters, { numRuns: 12, seed: 7 })]) {
    client.requests.length = 0
    const { tokens } = await preview({ filters: audienceFilters })
    expect(await send({ filters: audienceFilters })).toMatchObject({ success_count: tokens })
    const notifiedFids = [...client.notificationCounts().keys()].map(fidOf).sort((one, other) => one - other)
    expect(notifiedFids).toEqual(
      people.filter((person) => isInAudience(person, [], audienceFilters)).map(({ fid }) => fid),
    )
  }
})

describe('a map', () => {
  it('counts users by cells, and leaves out cells of few', async () => {
    const { appId, api } = await createMiniApp(parts)
    const grant = { appId, url: 'https://Client.example/', fids: fidsFrom(1, 60) }
    await grantTokens(db, { ...grant, clientFid: CLIENT })
    await grantTokens(db, { ...grant, clientFid: 7, fids: [1, 2] })
    await grantTokens(db, { ...grant, clientFid: 7, fids: [3], state: 'disabled' })
    const map = async (body: object) => (await api.send('POST', 'frame/notifications/map', body)).json()
    const located = people.filter(({ latitude }) => latitude !== null)
    const whole = await map({})
    expect(whole).toMatchObject({ users: 60, complete: true, located_users: located.length, cell_degrees: 2 })
    expect(whole.cells).toContainEqual({
      object: 'map_cell',
      latitude: 53,
      longitude: 13,
      users: located.filter(({ fid }) => fid % 2 === 0).length,
    })
    expect(await map({ filters: { near_location: { ...places[0], radius: 120_000 } } })).toMatchObject({
      cells: [{ latitude: 53, longitude: 13 }],
    })
    const few = fidsFrom(1, 60).filter((fid) => fid % 2 === 1 || fid > 8)
    expect((await map({ target_fids: [], filters: { exclude_fids: few } })).cells).toEqual([])
    expect((await api.get('frame/notification_tokens/count')).json()).toMatchObject({
      clients: [
        { client_fid: CLIENT, host: 'client.example', enabled: 60, disabled: 0, invalid: 0 },
        { client_fid: 7, host: 'client.example', enabled: 2, disabled: 1 },
      ],
    })
  })
})

it('a map wraps at 180 degrees, and ends at the poles', async () => {
  const { appId, api } = await createMiniApp(parts)
  const fids = fidsFrom(201, 10)
  for (const fid of fids) {
    const location = fid > 205 ? 'geo:90.00,0.00' : `geo:10.00,${fid > 203 ? '' : '-'}180.00`
    await db`
      insert into social.users (fid, custody_address, registered_at, location)
      values (${fid}, '\\x00', 0, ${location})`
  }
  await grantTokens(db, { appId, clientFid: CLIENT, url: 'https://client.example/', fids })
  const { cells } = (await api.send('POST', 'frame/notifications/map', {})).json()
  expect(cells).toEqual([
    { object: 'map_cell', latitude: 11, longitude: -179, users: 5 },
    { object: 'map_cell', latitude: 89, longitude: 1, users: 5 },
  ])
})

describe('a preview', () => {
  it('shows clients and reasons for leaving out others', async () => {
    const client = await startClient()
    const { appId, notification, send, preview } = await createMiniApp(parts)
    await grantTokens(db, { appId, clientFid: CLIENT, url: client.url(), fids: fidsFrom(1, 20) })
    await grantTokens(db, { appId, clientFid: 0, url: client.url(), fids: [1, 2, 3] })
    await grantTokens(db, { appId, clientFid: CLIENT, url: client.url(), fids: [4, 5], state: 'disabled' })
    await grantTokens(db, { appId, clientFid: CLIENT, url: client.url(), fids: [6], state: 'invalid' })
    const uuid = randomUUID()
    await send({ target_fids: [1], notification: { ...notification, uuid } })
    await send({ target_fids: [2] })

    expect(await preview({ uuid, filters: { exclude_fids: [7, 8, 9] } })).toEqual({
      httpStatus: 200,
      tokens: 13,
      users: 12,
      delivery: 'synchronous',
      clients: [
        { app_fid: 0, tokens: 1 },
        { app_fid: CLIENT, tokens: 12 },
      ],
      left_out: [
        { reason: 'disabled', tokens: 2 },
        { reason: 'excluded', tokens: 3 },
        { reason: 'invalid', tokens: 1 },
        { reason: 'rate_limited', tokens: 2 },
        { reason: 'repeated', tokens: 2 },
      ],
    })
    expect(await preview({ target_fids: [3, 30, 31] })).toMatchObject({
      tokens: 2,
      users: 1,
      left_out: [{ reason: 'no_token', tokens: 2 }],
    })
    expect(client.requests).toHaveLength(4)
    // As if the clock of the database was set back.
    await db`update miniapps.rate_windows set sent_at = array[now() + interval '3 hours'] where app_id = ${appId}`
    expect(await preview({ target_fids: [3] })).toMatchObject({ tokens: 2, users: 1, left_out: [] })
  })
})
