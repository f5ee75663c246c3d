import { lockShards } from '../../hub/merge/shard-lock.js'
import { shardNumbers } from '../../hub/shard-count.js'
import type { Database, Transaction } from '../../platform/db/connection.js'
import { inPipeline } from '../../platform/db/pipeline.js'
import { UrlActivity } from './cast-counts.js'
import { type CounterTable, counters } from './counters.js'
import { projectInto } from './project.js'
import { lockThreadsExclusively } from './thread-lock.js'
import { repairThreads } from './threads.js'

export interface RecountOptions {
  /** The number of shards of the hub. */
  readonly shards: number
  /** The approximate number of rows, of a counter or of a counted table, that one transaction checks. */
  readonly chunkRows?: number
  /** Called after every transaction with the number of transactions so far. */
  readonly onChunk?: (chunks: number) => void
  /** Runs in each transaction that repaired something. */
  readonly onRepaired?: (transaction: Transaction) => Promise<void>
  /** Stops the recount between two transactions, with its reason. Repairs so far stay. */
  readonly signal?: AbortSignal
}

/** The result of one check. */
export interface RecountReport {
  readonly name: string
  /** Rows that were wrong, missing or surplus. */
  readonly wrong: number
}

/** A correct chunk delays merges by 25 ms, a chunk that is all wrong by 75 ms. */
const DEFAULT_CHUNK_ROWS = 20_000

/** One check: its table, how the table is split, and how a part is repaired. */
interface Check
  extends Pick<CounterTable, 'name' | 'table' | 'keys' | 'firstKeyType' | 'countedColumns' | 'lockedBy'> {
  /** The cost of a row in rows of a counter. */
  readonly weight: number
  /** @returns the number of wrong rows. */
  readonly repair: (db: Transaction, chunk: Chunk) => Promise<number>
}

/** Threads are not a counter, but some counts depend on them, so they come first. */
const threads: Check = {
  name: 'threads of casts',
  table: 'social.casts',
  keys: ['hash'],
  firstKeyType: 'bytea',
  countedColumns: [],
  lockedBy: 'merges and moved threads',
  // A cast is compared with its parent, wherever that is, and a repaired cast is written to all indexes.
  weight: 5,
  async repair(db, chunk) {
    await projectInto(db, 'social')
    const activity = new UrlActivity()
    const wrong = await repairThreads(db, chunk as Chunk<Buffer>, activity)
    await inPipeline(activity.statements(db))
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
 * Recounts every counter, recomputes the threads of casts, and repairs what is wrong, while merges go on. It
 * checks ranges of keys, each in its own transaction that locks the writers of the table out.
 */
export async function recount(db: Database, options: RecountOptions): Promise<RecountReport[]> {
  const { chunkRows = DEFAULT_CHUNK_ROWS, signal, onChunk } = options
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

/** A range of keys: after `after`, up to and including `end`. Null is unbounded. */
interface Chunk<K extends Key = Key> {
  readonly after: K | null
  readonly end: K | null
}

/**
 * The end of a chunk of about this many rows, in the table where it has the most; null when fewer are left. A
 * key is never split: a user with a million followers is one chunk.
 */
async function findEnd(
  db: Database,
  { table, keys, countedColumns, firstKeyType }: Check,
  after: Key | null,
  rows: number,
): Promise<Key | null> {
  const endQueries = [{ table, column: keys[0] }, ...countedColumns].map(
    ({ table: name, column }) => `
      (
        select ${column} as key from ${name}
        where ${column} is not null ${after === null ? '' : `and ${column} > $1::${firstKeyType}`}
        order by ${column}
        offset ${rows} limit 1
      )`,
  )
  const [end] = await db.unsafe<{ key: Key }[]>(
    `select key from (${endQueries.join(' union all ')}) ends order by key limit 1`,
    after === null ? [] : [after],
  )
  return end?.key ?? null
}

/** @returns the number of wrong rows. */
async function repair(
  db: Database,
  check: Check,
  chunk: Chunk,
  { shards, onRepaired }: RecountOptions,
): Promise<number> {
  return await db.begin(async (transaction) => {
    if (check.lockedBy !== 'row lock') {
      await lockShards(transaction, shardNumbers(shards))
      // After the shards, as merges do. The scheduled job of waiting threads takes this lock alone.
      if (check.lockedBy === 'merges and moved threads') await lockThreadsExclusively(transaction)
    } else {
      const { within, parameters } = conditions(check, chunk)
      const [key] = check.keys
      await transaction.unsafe(
        `select from ${check.table} where ${within(key)} order by ${key} for update`,
        parameters,
      )
    }
    // A statement of its own: it must see what was committed before the locks were taken.
    const wrong = await check.repair(transaction, chunk)
    if (wrong > 0) await onRepaired?.(transaction)
    return wrong
  })
}

async function repairCounts(db: Transaction, counter: CounterTable, chunk: Chunk): Promise<number> {
  const { within, parameters } = conditions(counter, chunk)
  const [found] = await db.unsafe<{ wrong: number }[]>(repairStatement(counter, within), parameters)
  return found!.wrong
}

/** The condition that a column is in a chunk, and the parameters of a statement that uses it. */
function conditions({ firstKeyType }: Pick<CounterTable, 'firstKeyType'>, { after, end }: Chunk) {
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

/**
 * The statement that compares stored with actual counts, writes the differences, and selects their number.
 */
function repairStatement(counter: CounterTable, within: (column: string) => string): string {
  const { table, keys, counts, whenUncounted } = counter
  const keyList = keys.join(', ')
  const each = (write: (count: string) => string) => counts.map(write).join(', ')
  const counted = counts.map((count) => `${count} <> 0`).join(' or ')
  const differs =
    whenUncounted === 'given'
      ? counts.map((count) => `actual.${count} > stored.${count}`).join(' or ')
      : `(${each((count) => `actual.${count}`)}) is distinct from (${each((count) => `stored.${count}`)})`
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
      where ${differs}
    ),
    ${whenUncounted === 'given' ? updateStatement(counter) : replaceStatements(counter, counted)}
    select count(*)::integer as wrong from wrong
  `
}

function updateStatement({ table, keys, counts }: CounterTable): string {
  return `
    written as (
      update ${table} t
      set ${counts.map((count) => `${count} = wrong.${count}`).join(', ')}
      from wrong
      where ${keys.map((key) => `t.${key} = wrong.${key}`).join(' and ')}
    )
  `
}

/** Deletes rows that count nothing, and writes the others. */
function replaceStatements({ table, keys, counts }: CounterTable, counted: string): string {
  const columns = [...keys, ...counts].join(', ')
  return `
    empty as (
      delete from ${table} t
      using (select * from wrong where not (${counted})) w
      where ${keys.map((key) => `t.${key} = w.${key}`).join(' and ')}
    ),
    written as (
      insert into ${table} (${columns})
      select ${columns} from wrong where ${counted}
      on conflict (${keys.join(', ')}) do update
      set ${counts.map((count) => `${count} = excluded.${count}`).join(', ')}
    )
  `
}
