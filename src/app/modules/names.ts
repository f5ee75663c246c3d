import { recheckNames } from '../../hub/chain-claims/recheck-names.js'
import type { Module } from '../module.js'

const RECHECK_INTERVAL_MS = 60_000

/** Checks whether stored ENS names and basenames still resolve to their owners (docs/protocol.md §4.9). */
export const namesModule: Module = {
  name: 'names',
  runsIn: ['worker'],
  start: ({ config, connections, hub, lookups, log, clock }) => ({
    jobs: [
      {
        name: 'check of stored names',
        everyMs: RECHECK_INTERVAL_MS,
        run: () =>
          recheckNames({
            db: connections.work,
            hub,
            lookups,
            log,
            clock,
            everyHours: config.nameRecheckHours,
          }),
      },
    ],
  }),
}
