import { type MaintenanceTask, startMaintenance } from '../../features/maintenance/maintenance-worker.js'
import { readModelTasks } from '../../features/maintenance/read-model-tasks.js'
import { reconcile } from '../../hub/sync/reconcile/reconcile.js'
import { addUnlistedFids, countFids } from '../../hub/sync/reconcile/reconcile-queries.js'
import { reconcileReportLines } from '../../hub/sync/reconcile/report-lines.js'
import { listSelectedFids } from '../../hub/sync/subset/find-selected.js'
import { SelectedUsers } from '../../hub/sync/subset/selected-users.js'
import type { Module, ServerApp } from '../module.js'
import { openCommandUpstreams } from './sync.js'

/** Users compared at the same time: it leaves connections to the sync. */
const RECONCILE_CONCURRENCY = 2

/** Maintenance that was asked of the admin API: replay and recount in workers, comparisons where the upstream is synced. */
export const maintenanceModule: Module = {
  name: 'maintenance',
  runsIn: ['worker', 'sync'],
  start(app) {
    const { config, roles, connections, databaseUrl, log } = app
    const tasks = {
      ...(roles.has('worker') ? readModelTasks({ databaseUrl, shards: config.hubShards }) : {}),
      ...(roles.has('sync') && config.upstreamHub !== undefined ? { reconcile: reconcileTask(app) } : {}),
    }
    if (Object.keys(tasks).length === 0) return {}
    return { stop: startMaintenance({ db: connections.write, log, tasks }) }
  },
}

function reconcileTask({ config, connections, hub, log, clock }: ServerApp): MaintenanceTask {
  const db = connections.sync
  return {
    async run({ extra, signal, onProgress }) {
      const { upstreams, trusted, subset } = openCommandUpstreams(config, (failure) =>
        log.warn({ err: failure }, 'the comparison with the upstream is retried'),
      )
      const policy = extra ?? 'keep'
      try {
        if (subset === null) await addUnlistedFids(db)
        await listSelectedFids(db, upstreams, subset, signal)
        const selection = subset === null ? undefined : await SelectedUsers.openStored(db, subset)
        onProgress({ total: await countFids(db) })
        const report = await reconcile({
          db,
          upstreams,
          hub,
          trusted,
          extra: policy,
          selection,
          fids: null,
          concurrency: RECONCILE_CONCURRENCY,
          clock,
          signal,
          onProgress: (done) => onProgress({ done }),
        })
        return { report: reconcileReportLines(report, policy), isComplete: report.isComplete }
      } finally {
        upstreams.close()
      }
    },
  }
}
