import { readdir } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { createTestDatabase } from '../../../test/database.js'
import { silentLog } from '../log/log.js'
import { MIGRATION_LOCK, migrate, migrationState } from './migrate.js'

const empty = await createTestDatabase({ migrated: false })
const newer = await createTestDatabase()
const broken = await createTestDatabase()

it('runs in one of many concurrent processes; all of them succeed', async () => {
  expect((await migrationState(empty.db)).pending.length).toBeGreaterThan(0)
  const runs = await Promise.all(Array.from({ length: 8 }, () => migrate(empty.url, silentLog)))
  expect(runs.filter((applied) => applied.length > 0)).toHaveLength(1)
  const [tables] =
    await empty.db`select count(*) from pg_tables where schemaname = 'hub' and tablename = 'messages'`
  expect(tables).toEqual({ count: 1 })
  expect(await migrationState(empty.db)).toEqual({ pending: [], unknown: [] })
})

it('does nothing the second time', async () => {
  expect(await migrate(newer.url, silentLog)).toEqual([])
})

it('refuses a database of a newer version, and changes nothing', async () => {
  await broken.db`insert into schema_migrations (name, run_on) values ('9999_from_the_future', now())`
  await expect(migrate(broken.url, silentLog)).rejects.toThrow(/newer version \(9999_from_the_future\)/)
  expect(await migrationState(broken.db)).toEqual({ pending: [], unknown: ['9999_from_the_future'] })
})

it('for an empty database only: refuses one of an earlier version, and changes nothing', async () => {
  const { db, url } = await createTestDatabase()
  expect(await migrate(url, silentLog, { emptyOnly: true })).toEqual([])
  const [last] = await db<{ name: string }[]>`
    delete from schema_migrations where id = (select max(id) from schema_migrations) returning name`
  await expect(migrate(url, silentLog, { emptyOnly: true })).rejects.toThrow(
    `the migration ${last!.name} is not applied: run \`plaza migrate\``,
  )
  expect((await migrationState(db)).pending).toEqual([last!.name])
})

// A migration may take hours, and a command may have to revoke a key meanwhile.
it('for an empty database only: does not wait for a migration of another process', async () => {
  const { db, url } = await createTestDatabase()
  const session = await db.reserve()
  await session`select pg_advisory_lock(${MIGRATION_LOCK}::bigint)`
  expect(await migrate(url, silentLog, { emptyOnly: true })).toEqual([])
  session.release()
})

it('has unique migration numbers, so that the order is the same everywhere', async () => {
  const files = await readdir(new URL('./migrations', import.meta.url))
  const numbers = files.map((file) => /^(\d{4})_[a-z_]+\.sql$/.exec(file)?.[1])
  expect(numbers).not.toContain(undefined)
  expect(new Set(numbers).size).toBe(files.length)
})

it('is cancelled by a signal while a statement runs, and nothing is changed', async () => {
  const { db, url } = await createTestDatabase({ migrated: false })
  // Like a statement of a migration that takes hours.
  await db.unsafe(`
    create table public.schema_migrations (id serial primary key, name text not null, run_on timestamp not null);
    create function public.take_long() returns trigger language plpgsql as 'begin perform pg_sleep(600); return new; end';
    create trigger slow before insert on schema_migrations for each row execute function public.take_long()`)
  const stopping = new AbortController()
  const running = migrate(url, silentLog, { signal: stopping.signal })
  const sleeping = () => db`
    select from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'`
  await expect.poll(sleeping).toHaveLength(1)
  stopping.abort(new Error('stopped'))
  await expect(running).rejects.toThrow('stopped')
  await expect.poll(sleeping).toEqual([])
  expect(await db`select from pg_namespace where nspname = 'hub'`).toEqual([])
})

it('is cancelled by a signal between two statements, too', async () => {
  const { db, url } = await createTestDatabase({ migrated: false })
  const stopping = new AbortController()
  // The runner writes a line before each migration.
  const log = { ...silentLog, debug: () => stopping.abort(new Error('stopped')) }
  await expect(migrate(url, log, { signal: stopping.signal })).rejects.toThrow('stopped')
  expect(await db`select from pg_namespace where nspname = 'hub'`).toEqual([])
})
