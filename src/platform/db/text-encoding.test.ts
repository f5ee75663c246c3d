import { expect, it, onTestFinished } from 'vitest'
import { createTestDatabase, hasIcu } from '../../../test/database.js'
import { silentLog } from '../log/log.js'
import { migrate, migrationState } from './migrate.js'
import { findTextProblem } from './text-encoding.js'

const { db, url, connect } = await createTestDatabase()
const isIcuThere = await hasIcu()
type Refused = [encoding: string, locale: string, text: string]
const turkishLocales = ['tr-TR', 'az-Latn-AZ'].map(
  (locale): Refused => [
    'UTF8',
    `icu locale 'C.UTF-8' icu_locale '${locale}'`,
    'does not make i of I, as in Turkish',
  ],
)

/**
 * Creates an empty database of another encoding or locale.
 *
 * @param locale Its provider, and what names it there.
 */
async function createDatabase(encoding: string, locale: string) {
  const name = `${new URL(url).pathname.slice(1)}_${encoding}`.toLowerCase()
  await db.unsafe(
    `create database ${name} encoding '${encoding}' locale_provider ${locale} template template0`,
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

it.each<Refused>([
  ['SQL_ASCII', "libc locale 'C'", 'the encoding of this database is SQL_ASCII'],
  ['UTF8', "libc locale 'C'", 'has no letters but those of ASCII'],
  ...(isIcuThere ? turkishLocales : []),
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
  const { other, otherUrl } = await createDatabase('UTF8', "libc locale 'C'")
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

it.skipIf(!isIcuThere)('one of ICU with the rules of all languages -> is taken', async () => {
  const { other } = await createDatabase('UTF8', "icu locale 'C.UTF-8' icu_locale 'und'")
  expect(await findTextProblem(other)).toBeNull()
})
