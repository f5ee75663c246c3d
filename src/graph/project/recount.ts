import { lockShards } from '../../hub/merge/shard-lock.js'
import type { Database, Transaction } from '../../platform/db/connection.js'
import { type Counter, counters } from './counters.js'
import { projectInto } from './project.js'
import { repairThreads } from './threads.js'
import { UrlActivity } from './url-activity.js'

export interface RecountOptions {
  /** How many shards the hub has. */
  readonly shards: number
  /** About how many rows, of a counter or of what it counts, are looked at in one transaction. */
  readonly chunkRows?: number
  /** Told after every transaction, of how many there have been. */
  readonly onChunk?: (chunks: number) => void
  /** Run in each transaction that has mended something. */
  readonly onRepaired?: (transaction: Transaction) => Promise<void>
  /** Ends the recount between two transactions, with its reason. What was mended stays. */
  readonly signal?: AbortSignal
}

/** What was found, and mended. */
export interface RecountReport {
  readonly name: string
  /** How many rows were wrong, missing, or there for nothing. */
  readonly wrong: number
}

/** Merges wait for 25 ms where a chunk is right, and for 75 ms where all of it is wrong. */
const defaultChunkRows = 20_000

/** What is checked: a table, in which parts of it, and how a part is mended. */
interface Check
  extends Pick<Counter, 'name' | 'table' | 'keys' | 'firstKeyType' | 'countedColumns' | 'lockedBy'> {
  /** How many rows of a counter take as long as one of these. */
  readonly weight: number
  /** @returns how many rows were wrong. */
  readonly repair: (db: Transaction, chunk: Chunk) => Promise<number>
}

/** Not counted themselves, but some of what is counted lies by threads: they come first. */
const threads: Check = {
  name: 'threads of casts',
  table: 'social.casts',
  keys: ['hash'],
  firstKeyType: 'bytea',
  countedColumns: [],
  lockedBy: 'merges',
  // Each is held against its parent, wherever that is; one that moves is written into all indexes of casts.
  weight: 5,
  async repair(db, chunk) {
    await projectInto(db, 'social')
    const activity = new UrlActivity()
    const wrong = await repairThreads(db, chunk as Chunk<Buffer>, activity)
    await activity.write(db)
    return wrong
  },
}

const checks: readonly Check[] = [
  threads,
  ...counters.map((counter) => ({
    ...counter,
    weight: 1,
    repair: (db: Transaction, chunk: Chunk) => repairCounts(db, counter, chunk),
  })),
]

/**
 * Counts everything anew that is counted, sorts casts into their threads, and mends what is wrong, while merges go on:
 * in parts of the keys, each in a transaction of its own that keeps the writers of the table out, so that nothing
 * moves under it.
 */
export async function recount(db: Database, options: RecountOptions): Promise<RecountReport[]> {
  const { chunkRows = defaultChunkRows, signal, onChunk } = options
  const reports: RecountReport[] = []
  let chunks = 0
  for (const check of checks) {
    let wrong = 0
    for (let after: Key | null = null, isLast = false; !isLast; ) {
      signal?.throwIfAborted()
      const end: Key | null = await findEnd(db, check, after, Math.ceil(chunkRows / check.weight))
      wrong += await repair(db, check, { after, end }, options)
      after = end
      isLast = end === null
      chunks += 1
      onChunk?.(chunks)
    }
    reports.push({ name: check.name, wrong })
  }
  return reports
}

/** The first key of a counter: a fid, a hash, a URL or a name. */
type Key = number | Buffer | string

/** A part of the keys: behind the one, up to and with the other. Null is without end. */
interface Chunk<K extends Key = Key> {
  readonly after: K | null
  readonly end: K | null
}

/**
 * Where a chunk ends that has about so many rows, in whatever table it has the most. A key is never cut in two: who
 * has a million followers is one chunk. Null when the rest is less than that.
 */
async function findEnd(
  db: Database,
  { table, keys, countedColumns, firstKeyType }: Check,
  after: Key | null,
  rows: number,
): Promise<Key | null> {
  const parameterAt = [{ table, column: keys[0] }, ...countedColumns].map(
    ({ table: name, column }) => `
      (
        select ${column} as key from ${name}
        where ${column} is not null ${after === null ? '' : `and ${column} > $1::${firstKeyType}`}
        order by ${column}
        offset ${rows} limit 1
      )`,
  )
  const [end] = await db.unsafe<{ key: Key }[]>(
    `select key from (${parameterAt.join(' union all ')}) ends order by key limit 1`,
    after === null ? [] : [after],
  )
  return end?.key ?? null
}

/** @returns how many rows were wrong. */
async function repair(
  db: Database,
  check: Check,
  chunk: Chunk,
  { shards, onRepaired }: RecountOptions,
): Promise<number> {
  return await db.begin(async (transaction) => {
    if (check.lockedBy === 'merges') {
      await lockShards(
        transaction,
        Array.from({ length: shards }, (_, index) => index + 1),
      )
    } else {
      const { within, parameters } = conditions(check, chunk)
      const [key] = check.keys
      await transaction.unsafe(
        `select from ${check.table} where ${within(key)} order by ${key} for update`,
        parameters,
      )
    }
    // In a statement of its own, for it has to see what was committed before the locks were ours.
    const wrong = await check.repair(transaction, chunk)
    if (wrong > 0) await onRepaired?.(transaction)
    return wrong
  })
}

async function repairCounts(db: Transaction, counter: Counter, chunk: Chunk): Promise<number> {
  const { within, parameters } = conditions(counter, chunk)
  const [found] = await db.unsafe<{ wrong: number }[]>(repairStatement(counter, within), parameters)
  return found!.wrong
}

/** The condition that a column lies in the chunk, and the parameters of a statement that has it. */
function conditions({ firstKeyType }: Pick<Counter, 'firstKeyType'>, { after, end }: Chunk) {
  const bounds = [
    { sign: '>', key: after },
    { sign: '<=', key: end },
  ].flatMap(({ sign, key }) => (key === null ? [] : [{ sign, key }]))
  return {
    within: (column: string) =>
      [
        `${column} is not null`,
        ...bounds.map(({ sign }, index) => `${column} ${sign} $${index + 1}::${firstKeyType}`),
      ].join(' and '),
    parameters: bounds.map(({ key }) => key),
  }
}

/** Compares what is stored with what is counted, writes what differs, and selects of how many rows it did. */
function repairStatement(counter: Counter, within: (column: string) => string): string {
  const { table, keys, counts, whenUncounted } = counter
  const keyList = keys.join(', ')
  const each = (write: (count: string) => string) => counts.map(write).join(', ')
  const counted = counts.map((count) => `${count} <> 0`).join(' or ')
  return `
    with stored as (
      select ${keyList}, ${counts.join(', ')} from ${table}
      where ${within(keys[0])} ${whenUncounted === 'zero' ? `and (${counted})` : ''}
    ),
    actual as (${counter.countQuery(within)}),
    wrong as (
      select ${keyList}, ${each((count) => `coalesce(actual.${count}, 0) as ${count}`)}
      from actual
      ${whenUncounted === 'given' ? 'join' : 'full join'} stored using (${keyList})
      where (${each((count) => `actual.${count}`)}) is distinct from (${each((count) => `stored.${count}`)})
    ),
    empty as (
      delete from ${table} t
      using (select * from wrong where not (${counted})) w
      where ${keys.map((key) => `t.${key} = w.${key}`).join(' and ')}
    ),
    written as (
      ${whenUncounted === 'given' ? updateStatement(counter) : insertStatement(counter, counted)}
    )
    select count(*)::integer as wrong from wrong
  `
}

function updateStatement({ table, keys, counts }: Counter): string {
  return `
    update ${table} t
    set ${counts.map((count) => `${count} = wrong.${count}`).join(', ')}
    from wrong
    where ${keys.map((key) => `t.${key} = wrong.${key}`).join(' and ')}
  `
}

function insertStatement({ table, keys, counts }: Counter, counted: string): string {
  const columns = [...keys, ...counts].join(', ')
  return `
    insert into ${table} (${columns})
    select ${columns} from wrong where ${counted}
    on conflict (${keys.join(', ')}) do update
    set ${counts.map((count) => `${count} = excluded.${count}`).join(', ')}
  `
}
