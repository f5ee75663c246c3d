import { readOwnMeasures, saveMeasures } from '../features/console/overview/measures.js'
import { ClockWatch } from '../platform/db/clock-watch.js'
import type { ScheduledJob } from '../platform/scheduler/scheduled-jobs.js'
import type { ServerApp } from './module.js'

const MEASURES_MS = 10_000

/** Writes what this process measures, for the overview in all of them, and compares its clock with the database's. */
export function measuresJob({
  connections,
  metrics,
  errors,
  processId,
  clock,
  log,
}: Pick<ServerApp, 'connections' | 'metrics' | 'errors' | 'processId' | 'clock' | 'log'>): ScheduledJob {
  const clocks = new ClockWatch(log)
  const run = async () => {
    const measures = await readOwnMeasures({ metrics, errors })
    const askedMs = clock()
    const databaseMs = await saveMeasures(connections.write, processId, measures)
    if (databaseMs !== null) clocks.note(databaseMs, askedMs, clock())
  }
  return { name: 'process measures', everyMs: MEASURES_MS, perProcess: true, run }
}
