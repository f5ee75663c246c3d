import type { Fragment } from '#postgres'
import { importsFingerprint } from '../../../hub/sync/import/import-cursor.js'
import type { Database } from '../../../platform/db/connection.js'
import { jobRunsFingerprint } from '../../../platform/scheduler/job-runs.js'
import { accountsFingerprint } from '../../accounts/accounts.js'
import { maintenanceFingerprint } from '../../maintenance/maintenance-runs.js'
import { campaignsFingerprint } from '../../miniapps/campaigns/campaigns.js'
import { processesFingerprint } from '../../processes/processes.js'
import { scoreRunsFingerprint } from '../../score/score-schedule.js'
import { tokensFingerprint } from '../../tokens/tracked-tokens.js'
import { webhooksFingerprint } from '../../webhooks/fingerprint.js'
import { auditFingerprint } from '../audit-log.js'

/** Topics that pages of the console are notified of. */
export const changeTopics = ['webhooks', 'campaigns', 'accounts', 'tokens', 'jobs', 'audit'] as const
export type ChangeTopic = (typeof changeTopics)[number]

/**
 * A text that differs when what a topic is about has changed. It costs a look at a few indexes, however large the tables
 * are: 0.1 to 0.3 ms once it is planned. What has no index shows in the counters of PostgreSQL (`writesTo`).
 */
export async function readFingerprint(db: Database, topic: ChangeTopic): Promise<string> {
  const [row] = await db<{ fingerprint: string }[]>`
    select md5(concat_ws(' ', ${fingerprints[topic](db)})) as fingerprint
  `
  return row!.fingerprint
}

const fingerprints: Readonly<Record<ChangeTopic, (db: Database) => Fragment>> = {
  webhooks: webhooksFingerprint,
  campaigns: campaignsFingerprint,
  accounts: accountsFingerprint,
  tokens: tokensFingerprint,
  jobs: (db) => db`
    ${processesFingerprint(db)},
    ${importsFingerprint(db)},
    ${scoreRunsFingerprint(db)},
    ${maintenanceFingerprint(db)},
    ${jobRunsFingerprint(db)}`,
  audit: auditFingerprint,
}
