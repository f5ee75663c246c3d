import { describe, expect, it } from 'vitest'
import { createTestDatabase } from '../../../../test/database.js'
import { createTestApi } from '../../../app/testing/test-api.js'
import { MessageSet } from '../../../protocol/message-kind.js'

const { db } = await createTestDatabase()
const nowUnix = Date.UTC(2026, 0, 1) / 1000
const day = 86_400
const custody = Buffer.alloc(20, 0xab)

await db`
  insert into hub.fids (fid, shard, custody_address, recovery_address, registered_at)
  values (7, 1, ${custody}, '', 1), (8, 1, ${custody}, '', 1)`
await db`
  insert into social.users (fid, custody_address, registered_at, username, score)
  values (7, ${custody}, 1, 'alice', 0.5), (8, ${custody}, 1, null, null)`
await db`
  insert into hub.storage_rents (fid, block_number, log_index, unit_type, units, rented_at, expires_at)
  values (7, 1, 0, 0, 1, ${nowUnix - 900 * day}::bigint, ${nowUnix - day}::bigint),
    (7, 2, 0, 1, 2, ${nowUnix - 500 * day}::bigint, ${nowUnix + 500 * day}::bigint),
    (7, 3, 0, 2, 1, ${nowUnix - 10 * day}::bigint, ${nowUnix + 355 * day}::bigint)`
await db`
  insert into hub.set_counts (fid, set, count)
  values (7, ${MessageSet.casts}, 12), (7, ${MessageSet.verifications}, 2)`
await db`
  insert into hub.signers (fid, key, key_type, active, block_number, log_index, event)
  values (7, 'a', 1, true, 1, 1, ''), (7, 'b', 1, false, 1, 2, '')`

const { get } = await createTestApi({ db, clock: () => nowUnix * 1000 })
const user = {
  object: 'user_dehydrated',
  fid: 7,
  username: 'alice',
  display_name: null,
  pfp_url: null,
  custody_address: `0x${'ab'.repeat(20)}`,
  score: 0.5,
}

describe('storage/allocations', () => {
  it('lists all rents newest first, and counts unexpired units', async () => {
    const response = await get('storage/allocations', { fid: 7 })
    expect(response.statusCode).toBe(200)
    const { allocations, total_active_units } = response.json()
    expect(total_active_units).toBe(3)
    expect(allocations).toHaveLength(3)
    expect(allocations[0]).toEqual({
      object: 'storage_allocation',
      user,
      units: 1,
      timestamp: '2025-12-22T00:00:00.000Z',
      expiry: '2026-12-22T00:00:00.000Z',
    })
  })

  it('is empty for a user without storage', async () => {
    const response = await get('storage/allocations', { fid: 8 })
    expect(response.json()).toEqual({ total_active_units: 0, allocations: [] })
  })
})

describe('storage/usage', () => {
  it('shows usage and capacity', async () => {
    const response = await get('storage/usage', { fid: 7 })
    expect(response.statusCode).toBe(200)
    expect(response.json()).toEqual({
      object: 'storage_usage',
      user,
      total_active_units: 3,
      casts: { object: 'storage', used: 12, capacity: 4_100 },
      reactions: { object: 'storage', used: 0, capacity: 2_200 },
      links: { object: 'storage', used: 0, capacity: 2_200 },
      verified_addresses: { object: 'storage', used: 2, capacity: 55 },
      username_proofs: { object: 'storage', used: 0, capacity: 12 },
      signers: { object: 'storage', used: 1, capacity: 1_000 },
    })
  })

  it('a loan changes the capacity of both users, and the units of neither', async () => {
    await db`insert into hub.storage_loans (from_fid, to_fid, unit_type, units) values (7, 8, 1, 2)`
    const usage = async (fid: number) => {
      const { total_active_units, casts } = (await get('storage/usage', { fid })).json()
      return { total_active_units, castCapacity: casts.capacity }
    }
    expect(await usage(7)).toEqual({ total_active_units: 3, castCapacity: 100 })
    expect(await usage(8)).toEqual({ total_active_units: 0, castCapacity: 4_000 })
    await db`delete from hub.storage_loans`
  })
})

describe.each(['storage/allocations', 'storage/usage'])('%s', (path) => {
  it('an unregistered fid -> 404', async () => {
    for (const fid of [0, 9, 2_147_483_647]) {
      const response = await get(path, { fid })
      expect(response.statusCode).toBe(404)
      expect(response.json()).toMatchObject({ code: 'NotFound', property: 'fid', status: 404 })
    }
  })

  it.each(['', '-1', 'x', '2147483648'])('answers 400 for the fid "%s"', async (fid) => {
    const response = await get(path, { fid })
    expect(response.statusCode).toBe(400)
    expect(response.json()).toMatchObject({ code: 'InvalidField', property: 'fid', status: 400 })
  })
})
