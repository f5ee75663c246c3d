import { deleteExpiredAuditLog } from '../../features/console/audit-log.js'
import { deleteRequestedUrls } from '../../features/embeds/queue.js'
import { deleteExpiredValidations } from '../../features/frames/validations.js'
import { deleteExpiredHostData } from '../../features/miniapps/hosts/received-notifications.js'
import { deleteExpiredRequests } from '../../features/publishing/idempotency.js'
import { deleteOldRankings } from '../../graph/query/popular-casts.js'
import { earlierNow } from '../../hub/log/partitions.js'
import { deleteRefused } from '../../hub/sync/publish/outgoing-queue.js'
import { HOUR_MS } from '../../platform/durations.js'
import type { Module } from '../module.js'

const CLEANUP_INTERVAL_MS = HOUR_MS

/** Forgets what is kept for a time only: answers of requests with `idem`, what hosts received, validated actions,
 * URLs that were crawled on demand, messages that the upstream refused, entries of the audit log, rankings of casts that nobody asks for. */
export const retentionModule: Module = {
  name: 'retention',
  runsIn: ['worker'],
  start: ({ config, connections: { work }, clock }) => ({
    jobs: [
      {
        name: 'answers of repeatable requests',
        everyMs: CLEANUP_INTERVAL_MS,
        // A repetition that finds no answer publishes again.
        run: async () => deleteExpiredRequests(work, await earlierNow(work, clock())),
      },
      {
        name: 'tokens and notifications of mini app hosts',
        everyMs: CLEANUP_INTERVAL_MS,
        run: () => deleteExpiredHostData(work),
      },
      {
        name: 'validated frame actions',
        everyMs: CLEANUP_INTERVAL_MS,
        run: () => deleteExpiredValidations(work),
      },
      {
        name: 'URLs that only requests have named',
        everyMs: CLEANUP_INTERVAL_MS,
        run: () => deleteRequestedUrls(work),
      },
      {
        name: 'messages that the upstream refused',
        everyMs: CLEANUP_INTERVAL_MS,
        run: () => deleteRefused(work),
      },
      {
        name: 'old entries of the audit log',
        everyMs: CLEANUP_INTERVAL_MS,
        run: () => deleteExpiredAuditLog(work, config.auditLogRetentionDays),
      },
      {
        name: 'old rankings of casts',
        everyMs: CLEANUP_INTERVAL_MS,
        run: () => deleteOldRankings(work),
      },
    ],
  }),
}
