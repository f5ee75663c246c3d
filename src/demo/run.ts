import { reserveFids } from '../hub/registry/registry-lock.js'
import { type MergeTally, ReorderBuffer, type ReorderBufferOptions } from '../hub/reorder-buffer.js'
import type { Database } from '../platform/db/connection.js'
import type { Refusal } from '../platform/errors.js'
import type { DemoItem } from './draft.js'
import { generateDemo } from './generate.js'
import { type DemoOptions, demoOptions, startOfDay } from './options.js'
import { fidOf } from './plan.js'

export interface DemoRunOptions {
  readonly db: Database
  readonly hub: ReorderBufferOptions['hub']
  readonly demo: DemoOptions
  readonly signal?: AbortSignal
  /** Told how many items are durably there, and how many of these this run has brought. */
  readonly onProgress?: (items: number, ofThisRun: number) => void
  readonly onRefused?: (item: DemoItem, refusal: Refusal) => void
}

/** How far a run came. */
export interface DemoRunResult {
  /** `stopped`: by the signal; the next run goes on from there. */
  readonly outcome: 'complete' | 'stopped'
  /** Items of the demo that are there. */
  readonly items: number
  /** What became of the items of this run. */
  readonly tally: MergeTally
}

/** What was asked for comes before what follows from it, so that a difference is told by its cause. */
const optionNames = [
  'users',
  'casts',
  'seed',
  'end',
  'reactions',
  'follows',
  'network',
] as const satisfies readonly (keyof DemoOptions)[]

/** At most so often is it written down how far a run is. */
const RECORD_INTERVAL_MS = 1000

/**
 * The demo that a database has or may have: what was asked for, its end as it was settled at the first run.
 * A text when it cannot be: the database holds another demo, or something else.
 *
 * @param now Unix seconds.
 */
export async function loadOrCreateDemo(
  db: Database,
  requested:
    | Parameters<typeof demoOptions>[0]
    | (Omit<Parameters<typeof demoOptions>[0], 'end'> & { end?: undefined }),
  now: number,
): Promise<DemoOptions | string> {
  const record = await loadRecord(db)
  const end = requested.end ?? record?.demo.end ?? startOfDay(now)
  const demo = demoOptions({ ...requested, end })
  if (record) {
    const other = optionNames.find((name) => record.demo[name] !== demo[name])
    return other === undefined
      ? demo
      : `this database holds a demo with ${other} ${record.demo[other]}, not ${demo[other]}: use another database`
  }
  const [row] = await db<{ fids: number }[]>`select count(*) as fids from hub.fids`
  return row!.fids === 0
    ? demo
    : `the demo needs an empty database, and this one has ${row!.fids} fids: use another database`
}

/**
 * Brings a demo into a hub through its ordinary door, from where an earlier run has stopped. `settleDemo` has
 * agreed to it.
 */
export async function runDemo(options: DemoRunOptions): Promise<DemoRunResult> {
  const { db, hub, demo, signal, onRefused } = options
  const record = (await loadRecord(db)) ?? { demo, items: 0, isComplete: false }
  const skipped = record.items
  let settledItems = skipped
  let recordedMs = 0
  const reorderBuffer = new ReorderBuffer({
    hub,
    signal,
    ...(onRefused && { onRefused }),
    onSettled: async (items) => {
      settledItems = skipped + items
      options.onProgress?.(settledItems, items)
      if (Date.now() - recordedMs < RECORD_INTERVAL_MS) return
      recordedMs = Date.now()
      await saveRecord(db, { demo, items: settledItems, isComplete: false })
    },
  })
  if (record.isComplete) return { outcome: 'complete', items: record.items, tally: reorderBuffer.tally }
  await saveRecord(db, record)
  await reserveFids(db, fidOf(demo.users - 1))
  for await (const item of generateDemo(demo, skipped)) {
    if (signal?.aborted) break
    await reorderBuffer.add(item)
  }
  await reorderBuffer.drain()
  const isComplete = !signal?.aborted
  await saveRecord(db, { demo, items: settledItems, isComplete })
  return { outcome: isComplete ? 'complete' : 'stopped', items: settledItems, tally: reorderBuffer.tally }
}

/** What a database stores about its demo. */
interface DemoRecord {
  readonly demo: DemoOptions
  /** How many of the first items of the demo are stored. */
  readonly items: number
  readonly isComplete: boolean
}

async function loadRecord(db: Database): Promise<DemoRecord | null> {
  const [row] = await db<{ value: DemoRecord }[]>`select value from hub.settings where name = 'demo'`
  return row?.value ?? null
}

/** Stores the options of the demo and how far it is. */
export async function saveRecord(db: Database, record: DemoRecord): Promise<void> {
  await db`
    insert into hub.settings (name, value)
    values ('demo', ${JSON.stringify(record)}::text::jsonb)
    on conflict (name) do update set value = excluded.value
  `
}
