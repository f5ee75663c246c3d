import { expect, it } from 'vitest'
import { createTestDatabase, hasIcu } from '../../../test/database.js'
import { silentLog } from '../log/log.js'
import { warnIfCollationChanged } from './collation-version.js'

const { db } = await createTestDatabase((await hasIcu()) ? { icuLocale: 'und' } : {})
const [facts] = await db<{ name: string; version: string | null; isSuperuser: boolean }[]>`
  select datname as name, pg_database_collation_actual_version(oid) as version,
    (select rolsuper from pg_roles where rolname = current_user) as "isSuperuser"
  from pg_database where datname = current_database()`
const { name, version, isSuperuser } = facts!

/** What a start warns of. */
async function warnings(): Promise<[object, string][]> {
  const lines: [object, string][] = []
  await warnIfCollationChanged(db, {
    ...silentLog,
    warn: (fields, text) => lines.push([fields, text]),
  })
  return lines
}

it('a database whose locale has the version of its indexes -> no warning', async () => {
  expect(await warnings()).toEqual([])
})

// The catalog is changed here as an upgrade of the library changes the other side.
it.skipIf(version === null || !isSuperuser)(
  'a database whose locale has another version now -> a warning that says what to run, until it was run',
  async () => {
    await db`update pg_database set datcollversion = '0' where datname = ${name}`
    expect(await warnings()).toEqual([
      [{ recorded: '0', actual: version }, expect.stringContaining(`\`reindex database "${name}"\`, then`)],
    ])
    await db.unsafe(`reindex database "${name}"`)
    await db.unsafe(`alter database "${name}" refresh collation version`)
    expect(await warnings()).toEqual([])
  },
)
