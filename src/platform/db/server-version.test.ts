import { expect, it } from 'vitest'
import { createTestDatabase } from '../../../test/database.js'
import type { Database } from './connection.js'
import { refuseOldServer } from './server-version.js'

const { db } = await createTestDatabase()

/** A server that says this of itself. */
function serverOf(name: string, number: number): Pick<Database, 'unsafe'> {
  const settings = `(values ('${name}', ${number})) as settings (name, number)`
  return { unsafe: () => db.unsafe(`select * from ${settings}`) } as unknown as Pick<Database, 'unsafe'>
}

it('an older PostgreSQL -> is refused, and the message says what to do', async () => {
  await expect(refuseOldServer(serverOf('14.23', 140_023))).rejects.toThrow(
    'DATABASE_URL: this is PostgreSQL 14.23, and Plaza needs 15 or later: upgrade it (pg_upgrade), or set DATABASE_URL',
  )
})

it('PostgreSQL 15 and the one of the tests -> are taken', async () => {
  await refuseOldServer(serverOf('15.0', 150_000))
  await refuseOldServer(db)
})
