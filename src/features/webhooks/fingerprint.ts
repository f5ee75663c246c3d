import type { Fragment } from '#postgres'
import type { Database } from '../../platform/db/connection.js'
import { countOf, writesTo } from '../../platform/db/fingerprint.js'

/** Expressions that differ when webhooks or their deliveries have changed. */
export function webhooksFingerprint(db: Database): Fragment {
  return db`
    (select revision from webhooks.revision),
    (select max(created_at) from webhooks.events),
    (select max(finished_at) from webhooks.deliveries),
    ${countOf(db, db`webhooks.deliveries where state = 'sending'`)},
    ${writesTo(db, ['webhooks.webhooks', 'webhooks.deliveries', 'webhooks.lanes', 'webhooks.secrets'])}`
}
