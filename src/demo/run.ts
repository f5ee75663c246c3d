import type { ArchiveFile } from '../hub/archive/file.js'
import { itemFrame } from '../hub/archive/frame.js'
import { ArchiveWriter } from '../hub/archive/writer.js'
import { reserveFids } from '../hub/registry/registry-lock.js'
import { type MergeTally, ReorderBuffer, type ReorderBufferOptions } from '../hub/reorder-buffer.js'
import type { Database } from '../platform/db/connection.js'
import type { Refusal } from '../platform/errors.js'
import type { DemoItem } from './draft.js'
import { continuationFault, type DemoOptions, demoFault, demoOptions, startOfHour } from './options.js'
import { fidOf } from './plan.js'
import { generateDemo } from './simulation.js'

export interface DemoRunOptions {
  readonly db: Database
  readonly hub: ReorderBufferOptions['hub']
  readonly demo: DemoOptions
  readonly signal?: AbortSignal
  /** Receives the number of durably stored items, and how many of them are from this run. */
  readonly onProgress?: (items: number, ofThisRun: number) => void
  readonly onRefused?: (item: DemoItem, refusal: Refusal) => void
}

/** The result of a run. */
export interface DemoRunResult {
  /** `stopped`: by the signal; the next run continues. */
  readonly outcome: 'complete' | 'stopped'
  /** Number of stored items. */
  readonly items: number
  /** Outcomes of the items of this run. */
  readonly tally: MergeTally
}

/** Requested options come before derived ones, so that an error names the cause of a difference. */
const optionNames = [
  'users',
  'casts',
  'seed',
  'end',
  'reactions',
  'follows',
  'network',
] as const satisfies readonly (keyof DemoOptions)[]

/** Minimum interval between updates of the record. */
const RECORD_INTERVAL_MS = 1000

/**
 * Returns the demo of a database, with the end that its first run stored, or a text if its options are impossible or the
 * database contains another demo or other users. A complete demo may be of any age.
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
  const end = requested.end ?? record?.demo.end ?? startOfHour(now)
  const demo = demoOptions({ ...requested, end })
  if (record) {
    const other = optionNames.find((name) => record.demo[name] !== demo[name])
    if (other === undefined) return record.isComplete ? demo : (continuationFault(demo, now) ?? demo)
    return `this database holds a demo with --${other} ${optionText(record.demo, other)}, not ${optionText(demo, other)}: give its own options, or use another database`
  }
  const [row] = await db<{ fids: number }[]>`select count(*) as fids from hub.fids`
  return row!.fids === 0
    ? (demoFault(demo, now) ?? demo)
    : `the demo needs an empty database, and this one has ${row!.fids} fids: use another database`
}

/** The value of an option as the command takes it. */
function optionText(demo: DemoOptions, name: (typeof optionNames)[number]): string {
  return name === 'end' ? new Date(demo.end * 1000).toISOString() : String(demo[name])
}

/**
 * Merges a demo into a hub like submitted messages, continuing an earlier run. `loadOrCreateDemo` returns its
 * options.
 */
export async function runDemo(options: DemoRunOptions): Promise<DemoRunResult> {
  const { db, hub, demo, signal, onRefused } = options
  const record = (await loadRecord(db)) ?? { demo, items: 0, isComplete: false }
  const skipped = record.items
  let settledItems = skipped
  let recordedMs = 0
  const reorderBuffer = new ReorderBuffer({
    hub,
    origin: 'demo',
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

/** Record of a demo in its database. */
interface DemoRecord {
  readonly demo: DemoOptions
  /** Number of stored items, counted from the first. */
  readonly items: number
  readonly isComplete: boolean
}

async function loadRecord(db: Database): Promise<DemoRecord | null> {
  const [row] = await db<{ value: DemoRecord }[]>`select value from hub.settings where name = 'demo'`
  return row?.value ?? null
}

/** Stores the options and progress of the demo. */
export async function saveRecord(db: Database, record: DemoRecord): Promise<void> {
  await db`
    insert into hub.settings (name, value)
    values ('demo', ${JSON.stringify(record)}::text::jsonb)
    on conflict (name) do update set value = excluded.value
  `
}

export interface WriteDemoOptions {
  readonly demo: DemoOptions
  /** Opened with `demoId` as archive id. */
  readonly file: Pick<ArchiveFile, 'sink' | 'start' | 'isComplete'>
  /** Replaces the default chunk size of archives. */
  readonly chunkBytes?: number
  readonly signal?: AbortSignal
  /** Receives the number of items in the file, and how many of them are from this run. */
  readonly onProgress?: (items: number, ofThisRun: number) => void
}

/**
 * Writes a demo to an archive without a database, continuing an earlier run if the file was opened with
 * `resume`. The same options give the same file after any interruptions.
 *
 * @returns False if the signal stopped it.
 */
export async function writeDemo({
  demo,
  file,
  chunkBytes,
  signal,
  onProgress,
}: WriteDemoOptions): Promise<boolean> {
  if (file.isComplete) return true
  const writer = new ArchiveWriter(file.sink, file.start, chunkBytes === undefined ? {} : { chunkBytes })
  for await (const item of generateDemo(demo, file.start.framesBefore)) {
    // Checked only between chunks, so that chunk boundaries do not change.
    if (signal?.aborted && writer.isAtChunkStart) {
      await writer.flushAll()
      return false
    }
    await writer.add(itemFrame(item))
    await writer.checkpoint(writer.frames)
    onProgress?.(writer.frames, writer.frames - file.start.framesBefore)
  }
  await writer.finish()
  return true
}
