import type { Database } from '../../../platform/db/connection.js'
import type { ErrorJournal, ErrorReport } from '../../../platform/log/error-journal.js'
import type { Metrics } from '../../../platform/metrics.js'
import { storableJson } from '../../../platform/text/storable-text.js'
import { type OperationHistogram, readHistograms } from './operation-times.js'

/** Measurements of a process. */
export interface Measures {
  readonly operations: readonly OperationHistogram[]
  readonly errors: ErrorReport
}

/** Sources of the measurements of a process. */
export interface MeasureSources {
  readonly metrics: Metrics
  readonly errors: ErrorJournal
}

/** The measures of this process now. */
export async function readOwnMeasures({ metrics, errors }: MeasureSources): Promise<Measures> {
  return { operations: await readHistograms(metrics), errors: errors.read() }
}

/**
 * Writes the measures of a registered process, for the overview of others. Returns the database's time in Unix milliseconds; null
 * when the process is not registered.
 */
export async function saveMeasures(
  db: Database,
  processId: string,
  measures: Measures,
): Promise<number | null> {
  const [saved] = await db<{ nowMs: number }[]>`
    insert into app.process_measures (process_id, operations, errors)
    select id, ${JSON.stringify(measures.operations)}::text::jsonb,
      ${storableJson(JSON.stringify(measures.errors))}::text::jsonb
    from app.processes
    where id = ${processId}::uuid
    on conflict (process_id) do update
    set measured_at = now(), operations = excluded.operations, errors = excluded.errors
    returning (extract(epoch from now()) * 1000)::float8 as "nowMs"
  `
  return saved?.nowMs ?? null
}

/** The measures of the live processes but this one. */
export async function readOtherMeasures(db: Database, processId: string | null): Promise<Measures[]> {
  return await db<Measures[]>`
    select m.operations, m.errors
    from app.process_measures m
    join app.processes p on p.id = m.process_id
    where p.alive_until > now() and p.id is distinct from ${processId}::uuid
  `
}
