import { runMigrations } from 'graphile-worker'
import type { Queryable } from '../../../platform/db/connection.js'
import type { Log } from '../../../platform/log/log.js'
import { jobLogger } from './job-logger.js'

/** The task that looks after webhooks for which something waits. */
export const deliveryTask = 'webhooks_deliver'

/** What a job of the task carries. */
export interface DeliveryJobPayload {
  readonly webhookIds: readonly string[]
}

/** More webhooks go into several jobs, which several processes may take. */
const WEBHOOKS_PER_JOB = 500

/** Makes the tables of the job queue, schema `graphile_worker`. Safe to call from many processes at once. */
export async function installJobs(databaseUrl: string, log: Log): Promise<void> {
  await runMigrations({ connectionString: databaseUrl, logger: jobLogger(log) })
}

/** Has these webhooks looked after when the transaction has been committed. */
export async function addDeliveryJob(db: Queryable, webhookIds: readonly string[]): Promise<void> {
  for (let offset = 0; offset < webhookIds.length; offset += WEBHOOKS_PER_JOB) {
    const payload: DeliveryJobPayload = { webhookIds: webhookIds.slice(offset, offset + WEBHOOKS_PER_JOB) }
    await db`select graphile_worker.add_job(${deliveryTask}, ${JSON.stringify(payload)}::text::json)`
  }
}

/** Has each of these webhooks looked after at its moment, or earlier if that was asked for before. */
export async function scheduleDeliveryJobs(
  db: Queryable,
  wakeups: readonly { readonly webhookId: string; readonly at: Date }[],
): Promise<void> {
  if (wakeups.length === 0) return
  await db`
    select graphile_worker.add_job(
      ${deliveryTask},
      json_build_object('webhookIds', json_build_array(webhook_id)),
      run_at => at::timestamptz,
      job_key => 'webhook ' || webhook_id,
      job_key_mode => 'preserve_run_at'
    )
    from unnest(
      ${db.types.texts(wakeups.map(({ webhookId }) => webhookId))}::text[],
      ${db.types.texts(wakeups.map(({ at }) => at.toISOString()))}::text[]
    ) as wake (webhook_id, at)`
}
