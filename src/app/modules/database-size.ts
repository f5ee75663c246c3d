import { sampleDatabaseSize } from '../../features/console/overview/sizes.js'
import { HOUR_MS } from '../../platform/durations.js'
import type { Module } from '../module.js'

/** History of the database size for the console, over weeks. */
export const databaseSizeModule: Module = {
  name: 'database-size',
  runsIn: ['worker'],
  start: ({ connections: { work } }) => ({
    jobs: [{ name: 'database size', everyMs: HOUR_MS, run: () => sampleDatabaseSize(work) }],
  }),
}
