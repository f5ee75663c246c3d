import { expect, it } from 'vitest'
import { createTestDatabase } from '../../test/database.js'
import { createTestHub } from '../../test/hub.js'
import { TestUser, testNow, testNowUnix } from '../../test/network.js'
import type { Origin } from './origins.js'

const { db } = await createTestDatabase()
const hub = await createTestHub(db, { clock: () => (testNowUnix - 3_600) * 1000 })
const user = new TestUser(1)
const tooEarly = {
  code: 'bad_request.validation_failure',
  message: 'timestamp more than 10 mins in the future',
}

it.each<[Origin, object | null]>([
  ['log', null],
  ['store', null],
  ['client', tooEarly],
  ['local', tooEarly],
])('the clock is an hour behind, a cast of a minute ago from %s -> %o', async (origin, outcome) => {
  await hub.submitOnChainEvents(user.onChain())
  expect(await hub.submit([user.cast(`from ${origin}`, testNow - 60)], { origin })).toEqual([outcome])
})
