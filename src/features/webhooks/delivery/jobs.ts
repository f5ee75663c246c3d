import { runMigrations } from 'graphile-worker'
import type { Queryable } from '../../../platform/db/connection.js'
import type { Log } from '../../../platform/log/log.js'
import { jobLogger } from './job-logger.js'

/** The task that looks after webhooks for which something waits. */
export const deliverTask = 'webhooks_deliver'

/** What a job of the task carries. */
export interface DeliverPayload {
  readonly webhookIds: readonly string[]
}

/** More webhooks go into several jobs, which several processes may take. */
const WEBHOOKS_PER_JOB = 500

/** Makes the tables of the job queue, schema `graphile_worker`. Safe to call from many processes at once. */
export async function installJobs(databaseUrl: string, log: Log): Promise<void> {
  await runMigrations({ connectionString: databaseUrl, logger: jobLogger(log) })
}

/** Has these webhooks looked after when the transaction has been committed. */
export async function addDeliverJob(db: Queryable, webhookIds: readonly string[]): Promise<void> {
  for (let from = 0; from < webhookIds.length; from += WEBHOOKS_PER_JOB) {
    const payload: DeliverPayload = { webhookIds: webhookIds.slice(from, from + WEBHOOKS_PER_JOB) }
    await db`select graphile_worker.add_job(${deliverTask}, ${JSON.stringify(payload)}::text::json)`
  }
}

/** Has each of these webhooks looked after at its moment, or earlier if that was asked for before. */
export async function addTimedJobs(
  db: Queryable,
  wakes: readonly { readonly webhookId: string; readonly at: Date }[],
): Promise<void> {
  if (wakes.length === 0) return
  await db`
    select graphile_worker.add_job(
      ${deliverTask},
      json_build_object('webhookIds', json_build_array(webhook_id)),
      run_at => at::timestamptz,
      job_key => 'webhook ' || webhook_id,
      job_key_mode => 'preserve_run_at'
    )
    from unnest(
      ${db.types.texts(wakes.map(({ webhookId }) => webhookId))}::text[],
      ${db.types.texts(wakes.map(({ at }) => at.toISOString()))}::text[]
    ) as wake (webhook_id, at)`
}
