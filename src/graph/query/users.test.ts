import { beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase } from '../../../test/database.js'
import { loadUsers } from '../load/user-record.js'
import { findFidsByXUsername } from './users.js'

const statements: string[] = []
const { db, connect } = await createTestDatabase()
const countedDb = connect({ onStatement: (sql) => statements.push(sql) })

/** Enough that a plan without an index would show. */
const USERS = 5_000

beforeAll(async () => {
  await db`
    insert into social.users (fid, custody_address, registered_at, twitter)
    select n, decode(lpad(to_hex(n), 40, '0'), 'hex'), 0, 'Name' || n from generate_series(1, ${USERS}::integer) n
  `
  await db`update social.users set twitter = null where fid = 6`
  await db`update social.users set twitter = '' where fid = 7`
  await db`
    insert into social.verified_accounts
    values (5, 'x', 'name3', 0), (6, 'x', 'name3', 0), (7, 'x', 'NAME3', 0), (8, 'github', 'name3', 0)`
  await db`
    insert into social.user_counts (fid, follower_count, following_count)
    values (5, 4, 0), (6, 3, 0), (7, 2, 0), (3, 1, 0)`
  await db`analyze social.users, social.verified_accounts, social.user_counts`
})

describe('users by their X username', () => {
  it('are found by profile and by verification, most popular first', async () => {
    expect(await findFidsByXUsername(db, 'nAME3')).toEqual([6, 3])
    expect(await findFidsByXUsername(db, 'nobody')).toEqual([])
    expect(await findFidsByXUsername(db, '')).toEqual([])
  })

  it('are found by the name that they show: a verified one only without one in the profile', async () => {
    const fids = await findFidsByXUsername(db, 'name3')
    const shown = [...(await loadUsers(db, [3, 5, 6, 7])).values()].filter(
      ({ twitter }) => twitter?.toLowerCase() === 'name3',
    )
    expect(fids.toSorted()).toEqual(shown.map(({ fid }) => fid).toSorted())
    expect(fids).not.toContain(5)
    expect(fids).not.toContain(7)
  })

  it('are found by index', async () => {
    statements.length = 0
    await findFidsByXUsername(countedDb, 'name3')
    const plan = await db.unsafe(`explain ${statements.at(-1)!}`, ['name3', 'name3'])
    expect(plan.map((row) => row['QUERY PLAN']).join('\n')).not.toContain('Seq Scan on users')
  })
})
