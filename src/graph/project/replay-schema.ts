import { untilAborted } from '../../platform/db/cancelable.js'
import type { Database, Transaction } from '../../platform/db/connection.js'
import { copyGrants } from './replay-dependents.js'
import type { ReplayLock } from './replay-lock.js'

/** Columns that are not made from messages: they are computed elsewhere and copied from the old schema. */
const preservedColumns = [{ table: 'users', key: 'fid', column: 'score' }] as const

/** Tables that are not made from messages: they were imported and move to the new schema unchanged. */
const preservedTables = ['verified_accounts']

/**
 * The column whose default is the time of a merge, which a replay does not know. Null is before all pages: with the time of
 * the replay, the following pages of a feed would hide every recast that its first page counted.
 */
const timeOfMerge = { table: 'reactions', column: 'merged_at' } as const

/** The index with which the load finds the replies of a cast that comes after them. */
const loadIndex = 'casts_by_parent'

/** Locks the tables that move, so that the swap waits for none of their readers later. */
export async function lockPreservedTables(db: Transaction): Promise<void> {
  for (const table of preservedTables) await db.unsafe(`lock table social.${table} in access exclusive mode`)
}

/** Drops the schemas that an earlier replay left behind. */
export async function dropReplaySchemas(db: Transaction): Promise<void> {
  await db`drop schema if exists social_replay cascade`
  await db`drop schema if exists social_replaced cascade`
}

/**
 * Creates empty copies of the read model's tables, with their primary keys and the index that the load needs. Other
 * indexes are built after the load.
 */
export async function copySchema(db: Transaction): Promise<void> {
  await db`create schema social_replay`
  const tables = await db<
    {
      name: string
      options: string[] | null
      key_name: string
      key_columns: string
      load_index: string | null
    }[]
  >`
    select c.relname as name, c.reloptions as options, k.conname as key_name,
      pg_get_constraintdef(k.oid) as key_columns,
      (
        select pg_get_indexdef(i.indexrelid) from pg_index i
        where i.indrelid = c.oid and i.indexrelid = ${`social.${loadIndex}`}::regclass
      ) as load_index
    from pg_class c
    join pg_constraint k on k.conrelid = c.oid and k.contype = 'p'
    where c.relnamespace = 'social'::regnamespace and c.relkind = 'r'
      and c.relname <> all (${db.types.texts(preservedTables)}::text[])
  `
  for (const { name, options, key_name, key_columns, load_index } of tables) {
    const storage = options ? `with (${options.join(', ')})` : ''
    await db.unsafe(`
      create table social_replay.${name} (
        like social.${name} including defaults including generated including comments,
        constraint ${key_name} ${key_columns}
      ) ${storage};
      ${load_index === null ? '' : inReplay(load_index)}
    `)
  }
  const { table, column } = timeOfMerge
  await db.unsafe(`alter table social_replay.${table} alter column ${column} drop default`)
}

/** The definition of an index of the read model, for the new tables. */
function inReplay(definition: string): string {
  return definition.replace(' ON social.', ' ON social_replay.')
}

/** Gives the new table the default of the old one: the next merges have a time. */
async function restoreTimeOfMerge(db: Transaction): Promise<void> {
  const { table, column } = timeOfMerge
  const [row] = await db<{ value: string }[]>`
    select pg_get_expr(d.adbin, d.adrelid) as value
    from pg_attribute a
    join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
    where a.attrelid = ${`social.${table}`}::regclass and a.attname = ${column}
  `
  await db.unsafe(`alter table social_replay.${table} alter column ${column} set default ${row!.value}`)
}

/**
 * Builds the remaining indexes under their own names and analyzes the tables. An index of a large table takes
 * minutes; the signal cancels it.
 */
export async function buildIndexes(db: Database, lock: ReplayLock, signal?: AbortSignal): Promise<void> {
  const indexes = await db<{ definition: string }[]>`
    select pg_get_indexdef(i.indexrelid) as definition
    from pg_index i
    join pg_class c on c.oid = i.indrelid
    where c.relnamespace = 'social'::regnamespace and not i.indisprimary
      and c.relname <> all (${db.types.texts(preservedTables)}::text[])
      and i.indexrelid <> ${`social.${loadIndex}`}::regclass
  `
  for (const { definition } of indexes) {
    await lock.begin(async (transaction) => {
      await transaction`set local statement_timeout = 0`
      await untilAborted(transaction.unsafe(inReplay(definition)), signal)
    })
  }
  const tables = await db<{ name: string }[]>`
    select relname as name from pg_class where relnamespace = 'social_replay'::regnamespace and relkind = 'r'
  `
  for (const { name } of tables) await analyzeTable(lock, name, signal)
}

/** Gathers the statistics of a table of the replay. It reads at random, on a slow disk for minutes. */
export async function analyzeTable(lock: ReplayLock, table: string, signal?: AbortSignal): Promise<void> {
  await lock.begin(async (transaction) => {
    await transaction`set local statement_timeout = 0`
    await untilAborted(transaction.unsafe(`analyze social_replay.${table}`), signal)
  })
}

/**
 * Copies the columns that are not made from messages. The swap, which locks out the writers, then copies only what has changed
 * since: a score is in an index, so that each costs a row in all indexes, and a million of them minutes.
 */
export async function copyPreservedColumns(lock: ReplayLock, signal?: AbortSignal): Promise<void> {
  await lock.begin(async (transaction) => {
    await transaction`set local statement_timeout = 0`
    for (const preserved of preservedColumns) {
      await untilAborted(transaction.unsafe(copyStatement(preserved)), signal)
    }
  })
}

function copyStatement({ table, key, column }: (typeof preservedColumns)[number]): string {
  return `
    update social_replay.${table} new
    set ${column} = old.${column}
    from social.${table} old
    where old.${key} = new.${key} and old.${column} is distinct from new.${column}
  `
}

/**
 * Copies the apps of gasless keys that were removed: the hub has no message of them, and what they have signed stays. Those
 * that are removed from now on are in the log.
 */
export async function copyAppsOfRemovedKeys(lock: ReplayLock): Promise<void> {
  await lock.begin(async (transaction) => {
    await transaction`set local statement_timeout = 0`
    await transaction`
      insert into social_replay.signer_apps (fid, key, app_fid)
      select a.fid, a.key, a.app_fid
      from social.signer_apps a
      where not exists (select from hub.signers s where s.fid = a.fid and s.key = a.key)
      on conflict do nothing
    `
  })
}

/** Replaces the old read model by the new one. A running statement sees one or the other. */
export async function swapSchemas(db: Transaction): Promise<void> {
  // Ending it here would end hours of work.
  await db`set local statement_timeout = 0`
  for (const preserved of preservedColumns) {
    // A concurrent writer of the column waits, then finds the new table under the name.
    await db.unsafe(`lock table social.${preserved.table} in share row exclusive mode`)
    await db.unsafe(copyStatement(preserved))
  }
  await restoreTimeOfMerge(db)
  await copyGrants(db)
  for (const table of preservedTables) await db.unsafe(`alter table social.${table} set schema social_replay`)
  await db`alter schema social rename to social_replaced`
  await db`alter schema social_replay rename to social`
}
