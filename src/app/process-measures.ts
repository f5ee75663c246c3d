import { readOwnMeasures, saveMeasures } from '../features/console/overview/measures.js'
import type { ScheduledJob } from '../platform/scheduler/scheduled-jobs.js'
import type { ServerApp } from './module.js'

const MEASURES_MS = 10_000

/** Writes what this process measures, for the overview in all of them. */
export function measuresJob({
  connections,
  metrics,
  errors,
  processId,
}: Pick<ServerApp, 'connections' | 'metrics' | 'errors' | 'processId'>): ScheduledJob {
  const run = async () => {
    await saveMeasures(connections.write, processId, await readOwnMeasures({ metrics, errors }))
  }
  return { name: 'process measures', everyMs: MEASURES_MS, perProcess: true, run }
}
