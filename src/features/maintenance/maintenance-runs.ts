import type { Fragment } from '#postgres'
import type { Database } from '../../platform/db/connection.js'
import { storableText } from '../../platform/text/storable-text.js'
import type { MaintenanceRun } from './schema/maintenance.js'

/** Kinds of maintenance that the admin API starts. */
export type MaintenanceKind = MaintenanceRun['kind']

/** A run as it is stored. */
export interface MaintenanceRow {
  readonly id: number
  readonly kind: MaintenanceKind
  readonly extra: MaintenanceRun['extra']
  readonly state: MaintenanceRun['state']
  readonly cancelRequested: boolean
  readonly step: string | null
  readonly done: number
  readonly total: number | null
  readonly report: string[]
  readonly error: string | null
  readonly requestedAt: Date
  readonly startedAt: Date | null
  readonly finishedAt: Date | null
}

/** A process renews its run more often than this. */
const DEAD_AFTER_SECONDS = 15

const columns = (db: Database) => db`
  id, kind, extra, state, cancel_requested as "cancelRequested", step, done, total, report, error,
  requested_at as "requestedAt", started_at as "startedAt", finished_at as "finishedAt"`

/** Adds a run for the next process with its role. Null while another one waits or runs. */
export async function requestRun(
  db: Database,
  { kind, extra }: Pick<MaintenanceRow, 'kind' | 'extra'>,
): Promise<MaintenanceRow | null> {
  await markInterrupted(db)
  const [row] = await db<MaintenanceRow[]>`
    insert into app.maintenance_runs (kind, extra) values (${kind}, ${extra})
    on conflict ((true)) where state in ('waiting', 'running') do nothing
    returning ${columns(db)}`
  return row ?? null
}

/** Lists runs, newest first. */
export async function listRuns(
  db: Database,
  { before, limit }: { readonly before: number | null; readonly limit: number },
): Promise<MaintenanceRow[]> {
  return await db<MaintenanceRow[]>`
    select ${columns(db)} from app.maintenance_runs
    where ${before}::bigint is null or id < ${before}::bigint
    order by id desc
    limit ${limit}`
}

/** Cancels a run: at once when it waits, otherwise its process does within a second. Null for an unknown one. */
export async function cancelRun(db: Database, id: number): Promise<MaintenanceRow | null> {
  await markInterrupted(db)
  const [row] = await db<MaintenanceRow[]>`
    update app.maintenance_runs
    set cancel_requested = cancel_requested or state in ('waiting', 'running'),
      state = case state when 'waiting' then 'cancelled' else state end,
      finished_at = case state when 'waiting' then now() else finished_at end
    where id = ${id}::bigint
    returning ${columns(db)}`
  return row ?? null
}

/** Ends runs whose process has died. */
export async function markInterrupted(db: Database): Promise<void> {
  await db`
    update app.maintenance_runs set state = 'interrupted', finished_at = now()
    where state = 'running' and heartbeat_at < now() - make_interval(secs => ${DEAD_AFTER_SECONDS})`
}

/** Takes the waiting run, if it is of one of these kinds. */
export async function claimRun(
  db: Database,
  kinds: readonly MaintenanceKind[],
): Promise<MaintenanceRow | null> {
  const [row] = await db<MaintenanceRow[]>`
    update app.maintenance_runs
    set state = 'running', started_at = now(), heartbeat_at = now()
    where id = (
      select id from app.maintenance_runs
      where state = 'waiting' and kind = any (${db.types.texts([...kinds])}::text[])
      for update skip locked
    )
    returning ${columns(db)}`
  return row ?? null
}

/** How far a run is. */
export interface RunProgress {
  step: string | null
  done: number
  total: number | null
}

/** Writes how far a run is, and that its process lives. Returns whether it goes on. */
export async function saveProgress(
  db: Database,
  id: number,
  { step, done, total }: RunProgress,
): Promise<'running' | 'cancelled' | 'lost'> {
  const [row] = await db<{ cancelRequested: boolean }[]>`
    update app.maintenance_runs
    set step = ${step}, done = ${done}::bigint, total = ${total}::bigint, heartbeat_at = now()
    where id = ${id}::bigint and state = 'running'
    returning cancel_requested as "cancelRequested"`
  if (row === undefined) return 'lost'
  return row.cancelRequested ? 'cancelled' : 'running'
}

/** Ends a run. One that is done is so, too, if its process could not say for a while that it lives. */
export async function finishRun(
  db: Database,
  id: number,
  {
    state,
    progress: { step, done, total },
    report = [],
    error = null,
  }: {
    readonly state: 'done' | 'failed' | 'cancelled' | 'interrupted'
    readonly progress: RunProgress
    readonly report?: readonly string[]
    readonly error?: string | null
  },
): Promise<void> {
  await db`
    update app.maintenance_runs
    set state = ${state}, step = ${step}, done = ${done}::bigint, total = ${total}::bigint,
      report = ${db.types.texts(report.map(storableText))}::text[], error = ${error && storableText(error)},
      finished_at = now()
    where id = ${id}::bigint and (state = 'running' or (state = 'interrupted' and ${state} = 'done'))`
}

/** Expressions that differ when a run has been requested, has come further or has ended. */
export function maintenanceFingerprint(db: Database): Fragment {
  return db`
    (select max(finished_at) from app.maintenance_runs where id > (select max(id) - 10 from app.maintenance_runs)),
    (
      select concat_ws(' ', id, state, step, done, cancel_requested)
      from app.maintenance_runs
      where state in ('waiting', 'running')
    )`
}
