import { expect } from 'vitest'
import type { Database } from '../../src/platform/db/connection.js'
import type { TestServer } from '../running-server.js'

/** Environment of the servers in these tests. */
export const webhookEnv = {
  ALLOW_PRIVATE_TARGETS: 'loopback',
  PLAZA_SECRET_KEY: 'k'.repeat(40),
  CRAWL_EMBEDS: 'false',
}

/** Calls a write operation. */
export async function callApi(server: TestServer, method: string, path: string, body: object) {
  return (await (await server.send(method, path, body)).json()) as ReturnType<typeof JSON.parse>
}

/** Creates a webhook. */
export async function subscribe(server: TestServer, url: string, subscription: object) {
  const { webhook, message } = await callApi(server, 'POST', 'webhook', { name: 'test', url, subscription })
  if (!webhook) throw new Error(message)
  return webhook
}

/**
 * Makes a delivery whose attempts so far have failed due now instead of after a back-off of 5 s or more, and wakes the
 * senders. On a busy machine the back-off may be over before: then it has had an attempt more.
 */
export async function retryNow(db: Database, webhookId: string, attempts: number): Promise<void> {
  const dueOrRetried = () => db`
    with due as (
      update webhooks.deliveries
      set next_attempt_at = now()
      where webhook_id = ${webhookId} and state = 'waiting' and attempts = ${attempts}
      returning id
    )
    select id from due
    union all
    select id from webhooks.deliveries where webhook_id = ${webhookId} and attempts > ${attempts}`
  await expect.poll(dueOrRetried).toHaveLength(1)
  await db`select pg_notify('webhook_lanes', ${webhookId})`
}

/** Returns the start times of delivery attempts in Unix milliseconds, in queue order. */
export async function attemptTimes(db: Database, webhookId: string): Promise<number[]> {
  const rows = await db<{ at: Date }[]>`
    select last_attempt_at as at from webhooks.deliveries where webhook_id = ${webhookId} order by seq`
  return rows.map(({ at }) => at.getTime())
}
