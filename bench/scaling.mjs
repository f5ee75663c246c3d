import { rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { createDataDir, openPlaza, ownCheckout } from './plaza-process.mjs'
import { printPlans } from './read-plans.mjs'
import { onDatabase, openSide, prepareNetwork, SETTINGS } from './read-servers.mjs'
import { figure, printTable } from './report.mjs'

/**
 * What a network of millions of messages takes of the disk, what its hot statements do, and what they would do if the tables
 * were split by a hash of the fid, as a sharded PostgreSQL splits them (docs/scaling.md).
 */

const HELP = `npm run bench:scaling -- [options]

  --messages N     rows of casts, reactions and follows (4,000,000)
  --partitions N   by a hash of the fid; 0 leaves that part out (8)
  --data-dir DIR   where the network is kept: filled in if it is not there
`

/** Casts, reactions and follows of the network at scale 1. */
const MESSAGES_AT_SCALE_1 = 4_000_000

/** Tables that grow with messages, with the keys that they would need: each has to hold the column that splits it. */
const tables = {
  casts: { fid: 'fid', key: '(hash, fid)' },
  cast_counts: { fid: 'fid', key: '(hash, fid)' },
  reactions: { fid: 'fid', key: '(fid, target_hash, target_fid, type)' },
  follows: { fid: 'fid', key: '(fid, target_fid)' },
  quotes: { fid: 'fid', key: '(quoted_hash, quoted_fid, hash, fid)' },
  url_embeds: { fid: 'fid', key: null },
}

const { values } = parseArgs({
  options: {
    messages: { type: 'string', default: String(MESSAGES_AT_SCALE_1) },
    partitions: { type: 'string', default: '8' },
    'data-dir': { type: 'string' },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) console.log(HELP)
else await main()

async function main() {
  const folder = resolve(values['data-dir'] ?? (await createDataDir()))
  const scale = Number(values.messages) / MESSAGES_AT_SCALE_1
  const networkDir = await prepareNetwork(join(folder, `scale-${scale}`), { checkout: ownCheckout, scale })
  const partitions = Number(values.partitions)
  // What only reads needs no copy.
  const server =
    partitions === 0
      ? await openPlaza(networkDir, SETTINGS)
      : (await openSide(networkDir, { name: 'here', checkout: ownCheckout })).server
  try {
    await onDatabase(server.databaseUrl, printSizes)
    await printPlans(server.databaseUrl)
    if (partitions > 0) {
      await onDatabase(server.databaseUrl, (db) => split(db, partitions))
      console.log(`\n${partitions} partitions by a hash of the fid`)
      await printPlans(server.databaseUrl)
    }
  } finally {
    await (partitions === 0 ? server.end() : server.stop())
    if (values['data-dir'] === undefined) await rm(folder, { recursive: true, force: true })
  }
}

/** @param {import('pg').Client} db */
async function printSizes(db) {
  const { rows } = await db.query(`
    select c.relname as name, c.reltuples::float8 as rows, pg_table_size(c.oid)::float8 as heap,
      pg_indexes_size(c.oid)::float8 as indexes
    from pg_class c
    join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = 'social' and c.relkind = 'r' and c.reltuples > 1000
    order by pg_total_relation_size(c.oid) desc
  `)
  printTable('tables', [
    ['table', 'rows', 'bytes a row', 'with indexes', 'MB'],
    ...rows.map(({ name, rows: count, heap, indexes }) => [
      name,
      ...[count, heap / count, (heap + indexes) / count, (heap + indexes) / 1e6].map(figure),
    ]),
  ])
}

/** Puts partitioned tables of the same names, rows and indexes in the place of the tables. @param {import('pg').Client} db @param {number} partitions */
async function split(db, partitions) {
  for (const [name, { fid, key }] of Object.entries(tables)) {
    const indexes = await db.query(
      `select replace(indexdef, 'UNIQUE ', '') as definition from pg_indexes
       where schemaname = 'social' and tablename = $1 and indexname not like '%_pkey'`,
      [name],
    )
    await db.query(`alter table social.${name} rename to ${name}_whole`)
    await db.query(`create table social.${name} (like social.${name}_whole including defaults including generated)
      partition by hash (${fid})`)
    for (let part = 0; part < partitions; part += 1) {
      await db.query(`create table social.${name}_${part} partition of social.${name}
        for values with (modulus ${partitions}, remainder ${part})`)
    }
    const columns = await db.query(
      `select string_agg(quote_ident(attname), ', ' order by attnum) as names from pg_attribute
       where attrelid = 'social.${name}_whole'::regclass and attnum > 0 and not attisdropped and attgenerated = ''`,
    )
    const { names } = columns.rows[0]
    await db.query(`insert into social.${name} (${names}) select ${names} from social.${name}_whole`)
    if (key !== null) await db.query(`alter table social.${name} add primary key ${key}`)
    // Indexes keep their names on the whole table; the copies get names of their own.
    for (const { definition } of indexes.rows) {
      const [, on] = / ON social\.\w+ (.*)$/s.exec(definition) ?? []
      await db.query(`create index on social.${name} ${on}`)
    }
    await db.query(`vacuum (analyze) social.${name}`)
  }
}
