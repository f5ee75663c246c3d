import fc from 'fast-check'
import { beforeAll, expect, it } from 'vitest'
import { TestUser, testNow } from '../../../../test/network.js'
import { distanceKm } from '../../../platform/geo/distance.js'
import { UserDataType } from '../../../protocol/definitions.js'
import { openPeople } from './testing/user-network.js'

const { db, get, merge, countStatements } = await openPeople()

const places = [
  'geo:46.95,7.45',
  'geo:46.94,7.44',
  'geo:47.37,8.54',
  'geo:46.20,6.15',
  'geo:-16.80,179.98',
  'geo:-16.80,-179.99',
  'geo:89.99,10.00',
  'geo:89.98,-170.00',
  'geo:46.95,7.45',
]
const people = Array.from({ length: places.length + 1 }, (_, index) => new TestUser(index + 1))

interface UserList {
  users: { fid: number }[]
  next: { cursor: string | null }
}

async function usersNear(latitude: number, longitude: number, query = {}): Promise<number[]> {
  const reply = await get('user/by_location', { latitude, longitude, ...query })
  expect(reply.statusCode).toBe(200)
  return reply.json<UserList>().users.map(({ fid }) => fid)
}

beforeAll(async () => {
  await merge({ chainEvents: people.flatMap((each) => each.onChain()) })
  await merge({
    messages: places.map((place, index) => people[index]!.userData(UserDataType.LOCATION, place, testNow)),
  })
})

it('lists users within 100 km, nearest first', async () => {
  expect(await usersNear(46.95, 7.45)).toEqual([1, 9, 2, 3])
  expect(await usersNear(46.2, 6.15)).toEqual([4])
  expect(await usersNear(0, 0)).toEqual([])
})

it('works across the date line and at the poles', async () => {
  expect(await usersNear(-16.8, 180)).toEqual([6, 5])
  expect(await usersNear(-16.8, -180)).toEqual([6, 5])
  expect(await usersNear(90, 0)).toEqual([7, 8])
})

it('leaves out muted users, and follows changed locations', async () => {
  await db`insert into moderation.mutes (fid, target_fid, muted_at) values (10, 2, 0)`
  expect(await usersNear(46.95, 7.45, { viewer_fid: 10 })).toEqual([1, 9, 3])
  await merge({ messages: [people[2]!.userData(UserDataType.LOCATION, '', testNow + 1)] })
  expect(await usersNear(46.95, 7.45)).toEqual([1, 9, 2])
  await merge({ messages: [people[2]!.userData(UserDataType.LOCATION, places[2]!, testNow + 2)] })
})

it('refuses invalid coordinates', async () => {
  for (const query of [{ latitude: 91, longitude: 0 }, { latitude: 0, longitude: 181 }, { latitude: 1 }]) {
    expect((await get('user/by_location', query)).statusCode).toBe(400)
  }
})

it('pages list each user once', async () => {
  const found: number[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const query = { latitude: 46.95, longitude: 7.45, limit: 1, ...(cursor ? { cursor } : {}) }
    const page: UserList = (await get('user/by_location', query)).json()
    found.push(...page.users.map(({ fid }) => fid))
    cursor = page.next.cursor
  }
  expect(found).toEqual([1, 9, 2, 3])
})

it('finds exactly the users in range, anywhere', async () => {
  const hundredths = (limit: number) => fc.integer({ min: -limit * 100, max: limit * 100 })
  await fc.assert(
    fc.asyncProperty(
      hundredths(90),
      hundredths(180),
      fc.array(fc.tuple(hundredths(2), hundredths(2)), { minLength: 1, maxLength: 20 }),
      async (latitude, longitude, offsets) => {
        await db`delete from social.users where fid > 100`
        const around = offsets.map(([north, east]) => ({
          lat: Math.max(-90, Math.min(90, (latitude + north) / 100)),
          long: (((((longitude + east) / 100 + 540) % 360) + 360) % 360) - 180,
        }))
        await db`
          insert into social.users (fid, custody_address, registered_at, location)
          select 100 + n, decode(repeat('00', 20), 'hex'), 0, location
          from unnest(${db.types.texts(
            around.map(({ lat, long }) => `geo:${lat.toFixed(2)},${long.toFixed(2)}`),
          )}::text[]) with ordinality as said (location, n)
        `
        const expected = around.flatMap(({ lat, long }, index) => {
          const km = distanceKm(
            latitude / 100,
            longitude / 100,
            Number(lat.toFixed(2)),
            Number(long.toFixed(2)),
          )
          // At the very border rounding decides.
          fc.pre(Math.abs(km - 100) > 1e-6)
          return km <= 100 ? [101 + index] : []
        })
        const found = await usersNear(latitude / 100, longitude / 100, { limit: 100 })
        expect(found.filter((fid) => fid > 100).sort((a, b) => a - b)).toEqual(expected)
      },
    ),
    { numRuns: 30 },
  )
})

it('runs at most six statements', async () => {
  const query = { latitude: 46.95, longitude: 7.45, viewer_fid: 10 }
  expect(await countStatements('user/by_location', query)).toBeLessThanOrEqual(6)
})
