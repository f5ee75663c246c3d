import type { Fragment } from '#postgres'
import type { Database } from '../../platform/db/connection.js'
import { runInBatches } from '../../platform/db/run-in-batches.js'

/** Deleted by one statement: tens of milliseconds. */
const DELETION_BATCH = 5_000

/** Deletes deliveries that ended longer ago than this, then events without deliveries. */
export async function deleteExpiredDeliveries(db: Database, retentionDays: number): Promise<void> {
  const age = `${retentionDays} days`
  await runInBatches(
    DELETION_BATCH,
    () => db`
      delete from webhooks.deliveries
      where id in (
        select id from webhooks.deliveries
        where finished_at < now() - ${age}::text::interval
        order by finished_at
        limit ${DELETION_BATCH}
      )
      -- Again, for those that are queued again meanwhile.
      and finished_at < now() - ${age}::text::interval`,
  )
  await deleteUnusedEvents(db, age)
  // A consumer that is behind needs what the log still has; it deletes what it has read.
  await db`
    delete from webhooks.compacted_follows c
    using hub.shards s
    where s.shard = c.shard and c.event_id < s.first_retained_id`
}

/** The last event of a page, in the order of their ages. */
interface EventPosition {
  readonly id: string
  /** As text: it has more digits than a date of JavaScript. */
  readonly createdAt: string
}

/** Deletes old events without deliveries, a page at a time. Those of a backlog stay, and are read once and not in each batch. */
async function deleteUnusedEvents(db: Database, age: string): Promise<void> {
  for (let after: EventPosition | null = { id: '', createdAt: '-infinity' }; after !== null; ) {
    after = await deleteUnusedPage(db, age, after)
  }
}

async function deleteUnusedPage(
  db: Database,
  age: string,
  after: EventPosition,
): Promise<EventPosition | null> {
  const [last] = await db<(EventPosition & { readonly isFull: boolean })[]>`
    with page as materialized (
      select id, created_at
      from webhooks.events
      where created_at < now() - ${age}::text::interval
        and (created_at, id) > (${after.createdAt}::text::timestamptz, ${after.id})
      order by created_at, id
      limit ${DELETION_BATCH}
    ),
    deleted as (
      delete from webhooks.events e
      using page
      where e.id = page.id and not exists (select from webhooks.deliveries d where d.event_id = page.id)
    )
    select id, created_at::text as "createdAt", (select count(*) from page) = ${DELETION_BATCH} as "isFull"
    from page
    order by created_at desc, id desc
    limit 1`
  return last?.isFull ? last : null
}

/** Marked as failed by one statement: tens of milliseconds. */
const OVERDUE_BATCH = 5_000

/**
 * Fails deliveries that have been due for this time and were not sent: the target takes fewer than there are, or nobody sends.
 * Without an end they would stay for ever, with their events.
 *
 * @param onFailed Called at the end with their number, also where a later batch throws.
 */
export async function failOverdueDeliveries(
  db: Database,
  maxWaitDays: number,
  onFailed: (count: number) => void,
): Promise<void> {
  let failed = 0
  try {
    for await (const count of failOverdueBatches(db, maxWaitDays)) failed += count
  } finally {
    onFailed(failed)
  }
}

/** Yields the number of each batch. Most runs find nothing: two lookups for each webhook, in one statement. */
async function* failOverdueBatches(db: Database, maxWaitDays: number): AsyncGenerator<number> {
  const webhooks = await db<{ id: string }[]>`
    select w.id
    from webhooks.webhooks w
    where exists (
      select from webhooks.deliveries d
      where d.webhook_id = w.id and d.state = 'waiting' and d.attempts > 0 and d.next_attempt_at < ${dueBefore(db, maxWaitDays)}
    )
    or (
      select created_at < ${dueBefore(db, maxWaitDays)}
      from webhooks.deliveries d
      where d.webhook_id = w.id and d.state = 'waiting' and d.attempts = 0
      order by d.seq
      limit 1
    )`
  for (const { id } of webhooks) {
    for (let after: number | null = 0; after !== null; ) {
      const page = await failOverdueNew(db, id, maxWaitDays, after)
      yield page.failed
      after = page.last
    }
    yield* failOverdueRetries(db, id, maxWaitDays)
  }
}

/**
 * Fails overdue deliveries among the next of a webhook that were never tried. Their index is in the order of their creation; of one
 * that was queued again, `next_attempt_at` is when.
 *
 * @returns The last of the page; null if what follows is younger.
 */
async function failOverdueNew(
  db: Database,
  webhookId: string,
  maxWaitDays: number,
  after: number,
): Promise<{ readonly failed: number; readonly last: number | null }> {
  const page = await db<{ id: string; seq: number; isOld: boolean; isOverdue: boolean }[]>`
    select
      id, seq, created_at < ${dueBefore(db, maxWaitDays)} as "isOld",
      next_attempt_at < ${dueBefore(db, maxWaitDays)} as "isOverdue"
    from webhooks.deliveries
    where webhook_id = ${webhookId} and state = 'waiting' and attempts = 0 and seq > ${after}::bigint
    order by seq
    limit ${OVERDUE_BATCH}`
  const ids = page.filter(({ isOverdue }) => isOverdue).map(({ id }) => id)
  const condition = db`id = any (${db.types.texts(ids)}::text[]::uuid[])`
  const failed = ids.length === 0 ? 0 : await failUnlessClaimed(db, condition, maxWaitDays)
  const last = page.at(-1)
  return { failed, last: page.length === OVERDUE_BATCH && last?.isOld ? last.seq : null }
}

/** Fails the overdue retries of a webhook. Yields the number of each batch. */
async function* failOverdueRetries(
  db: Database,
  webhookId: string,
  maxWaitDays: number,
): AsyncGenerator<number> {
  for (let count = OVERDUE_BATCH; count === OVERDUE_BATCH; ) {
    count = await failUnlessClaimed(db, db`webhook_id = ${webhookId} and attempts > 0`, maxWaitDays)
    yield count
  }
}

/**
 * Fails a batch of overdue deliveries. It waits for no row: a claim that runs locks rows in another order, and has what it
 * has locked.
 */
async function failUnlessClaimed(db: Database, condition: Fragment, maxWaitDays: number): Promise<number> {
  const { count } = await db`
    with overdue as (
      select id
      from webhooks.deliveries
      where ${condition} and state = 'waiting' and next_attempt_at < ${dueBefore(db, maxWaitDays)}
      order by next_attempt_at
      limit ${OVERDUE_BATCH}
      for update skip locked
    )
    update webhooks.deliveries d
    set ${failure(db, maxWaitDays)}
    from overdue
    where d.id = overdue.id`
  return count
}

function failure(db: Database, maxWaitDays: number): Fragment {
  const reason = `not sent within ${maxWaitDays} ${maxWaitDays === 1 ? 'day' : 'days'}`
  return db`state = 'failed', failure = ${reason}, finished_at = now()`
}

function dueBefore(db: Database, maxWaitDays: number): Fragment {
  return db`now() - make_interval(days => ${maxWaitDays}::integer)`
}
