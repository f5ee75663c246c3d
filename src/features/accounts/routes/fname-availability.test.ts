import { expect, it } from 'vitest'
import { createTestDatabase } from '../../../../test/database.js'
import { createTestApi } from '../../../app/testing/test-api.js'

const { db } = await createTestDatabase()
await db`
  insert into hub.username_proofs (name, fid, type, ts, proof)
  values ('alice', 7, 1, 100, ''), ('gone', 0, 1, 100, '')`
const { get } = await createTestApi({ db })

it.each([
  ['alice', false],
  ['Alice', false],
  ['gone', true],
  ['nobody', true],
  ['🎈', false],
  ['not a name', false],
  ['abcdefghijklmnopq', false],
])('tells whether %s is free', async (fname, available) => {
  const response = await get('fname/availability', { fname })
  expect([response.statusCode, response.json()]).toEqual([200, { available }])
})

it.each([{}, { fname: '' }, { fname: 'x'.repeat(257) }, { fname: 'a\0' }])('refuses %j', async (query) => {
  const response = await get('fname/availability', query)
  expect(response.statusCode).toBe(400)
  expect(response.json()).toMatchObject({ code: 'InvalidField', property: 'fname', status: 400 })
})
