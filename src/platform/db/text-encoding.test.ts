import { expect, it, onTestFinished } from 'vitest'
import { createTestDatabase } from '../../../test/database.js'
import { silentLog } from '../log/log.js'
import { migrate, migrationState } from './migrate.js'
import { findTextProblem } from './text-encoding.js'

const { db, url, connect } = await createTestDatabase()

/** Creates an empty database of another encoding or locale. */
async function createDatabase(encoding: string, locale: string) {
  const name = `${new URL(url).pathname.slice(1)}_${encoding}_${locale}`.toLowerCase().replaceAll(/\W/g, '_')
  await db.unsafe(
    `create database ${name} encoding '${encoding}' locale_provider libc locale '${locale}' template template0`,
  )
  const address = new URL(url)
  address.pathname = `/${name}`
  const other = connect({ url: address.href, poolSize: 1 })
  onTestFinished(async () => {
    await other.end({ timeout: 5 })
    await db.unsafe(`drop database ${name} with (force)`)
  })
  return { other, otherUrl: address.href }
}

it.each([
  ['SQL_ASCII', 'C', 'the encoding of this database is SQL_ASCII'],
  ['UTF8', 'C', 'has no letters but those of ASCII'],
])(
  'an empty database of %s and %s -> is refused before anything is stored',
  async (encoding, locale, text) => {
    const { other, otherUrl } = await createDatabase(encoding, locale)
    await expect(migrate(otherUrl, silentLog)).rejects.toThrow(text)
    await expect(migrate(otherUrl, silentLog)).rejects.toThrow('createdb --encoding=UTF8 --locale=C.UTF-8')
    expect((await migrationState(other)).pending.length).toBeGreaterThan(0)
  },
)

it('one that is in use already -> a warning at each start', async () => {
  const { other, otherUrl } = await createDatabase('UTF8', 'C')
  await other`create table public.schema_migrations (id serial primary key, name text not null, run_on timestamp not null)`
  for (const { name } of await db<{ name: string }[]>`select name from public.schema_migrations order by id`)
    await other`insert into public.schema_migrations (name, run_on) values (${name}, now())`
  const warnings: string[] = []
  const log = { ...silentLog, warn: (_: object, message: string) => void warnings.push(message) }
  expect(await migrate(otherUrl, log)).toEqual([])
  expect(warnings).toEqual([expect.stringContaining('has no letters but those of ASCII')])
})

it('the one of the tests -> is taken', async () => {
  expect(await findTextProblem(db)).toBeNull()
})
