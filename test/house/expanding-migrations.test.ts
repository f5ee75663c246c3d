import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { contractionsIn } from './contractions.js'

const MIGRATIONS = 'src/platform/db/migrations'
/** The last migration from before processes of two versions ran side by side. */
const LAST_UNCHECKED = 111

/**
 * While processes are upgraded one by one, the old ones work on the new schema. So a migration only adds. What is not used any
 * more goes in a later version: its migration then begins with `-- contract:` and says which version stopped using it.
 */
it('a migration takes nothing away that the version before it uses', async () => {
  const names = (await readdir(MIGRATIONS)).filter((name) => Number(name.slice(0, 4)) > LAST_UNCHECKED)
  const contracting = await Promise.all(
    names.map(async (name) => {
      const sql = await readFile(join(MIGRATIONS, name), 'utf8')
      return /^-- contract: \S/m.test(sql) ? [] : contractionsIn(sql).map((found) => `${name}: ${found}`)
    }),
  )
  expect(contracting.flat()).toEqual([])
})

it('what takes something away is recognised', () => {
  expect(contractionsIn('alter table a.b drop column c')).toEqual(['drop column'])
  expect(contractionsIn('alter table a.b\n  rename column c to d')).toEqual(['rename'])
  expect(contractionsIn('alter table a.b alter c set not null, alter d type text')).toEqual([
    'set not null',
    'alter type',
  ])
  expect(contractionsIn('drop table a.b; drop function f(); drop view v')).toEqual([
    'drop table',
    'drop function',
    'drop view',
  ])
  expect(contractionsIn('alter table a.b add column c text not null')).toEqual(['not null without a default'])
  expect(contractionsIn('alter table a.b add constraint c check (d > 0)')).toEqual(['add constraint'])
  expect(contractionsIn('alter table a.b alter c type numeric(20,0)')).toEqual(['alter type'])
  // A number without a bound holds every other number.
  expect(contractionsIn('alter table a.b alter c type numeric')).toEqual([])
  expect(
    contractionsIn(
      `-- drop table a.b
      create table a.b (c text not null, check (c <> ''));
      alter table a.b add column d text not null default 'drop table', add column e bigint;
      drop index a.i; create or replace function f() returns trigger as $$ begin drop table x; end $$ language plpgsql`,
    ),
  ).toEqual([])
})
