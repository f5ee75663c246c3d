import { expect } from 'vitest'
import type { Database } from '../../../platform/db/connection.js'

/** A row of the crawl queue. */
export interface QueueRow {
  state: string
  attempts: number
  kind: string | null
  failure: string | null
  isLeased: boolean
  dueInSeconds: number
  title: string | undefined
}

/** Reads the row of a URL in the crawl queue; fails the test without one. */
export async function readRow(db: Database, url: string): Promise<QueueRow> {
  const [row] = await db<QueueRow[]>`
    select state, attempts, kind, failure, lease is not null as "isLeased",
      extract(epoch from next_attempt_at - now())::float8 as "dueInSeconds",
      metadata->'html'->>'ogTitle' as title
    from embeds.urls where url = ${url}`
  return row ?? expect.fail(`${url} is not in the queue`)
}
