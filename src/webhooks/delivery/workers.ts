import type { Database, Queryable } from '../../db/connection.js'

/**
 * Who sends. A worker holds a lock for as long as its connection lives, which PostgreSQL frees at once when the process
 * is killed; and it says now and again that it lives, for connections that hang.
 */

/** Whoever has not said within this time that it lives is dead. */
const ALIVE_SECONDS = 10

/** How often a worker says that it lives, and looks for the dead. */
export const BEAT_MS = 3_000

/**
 * Says that the worker lives, and takes its lock, or takes it once more.
 *
 * @param own A pool of one connection that does nothing else: the lock is that connection's. After a loss the next
 * beat takes it anew.
 */
export async function beat(db: Database, own: Database, worker: string): Promise<void> {
  await own`select pg_try_advisory_lock(hashtextextended(${worker}, 0))`
  await db`
    insert into webhooks.workers (id, alive_until)
    values (${worker}, now() + ${ALIVE_SECONDS}::integer * interval '1 second')
    on conflict (id) do update set alive_until = excluded.alive_until`
}

/** Gives everything that this worker has back to the others, and says that it is no more. */
export async function retire(db: Database, worker: string): Promise<void> {
  await db.begin(async (transaction) => {
    await transaction`delete from webhooks.workers where id = ${worker}`
    await release(transaction, [worker])
  })
}

/** Frees what dead workers have. What they were sending is sent again: nobody knows whether it arrived. */
export async function buryDead(db: Database): Promise<number> {
  return db.begin(async (transaction) => {
    const dead = await transaction<{ id: string }[]>`
      delete from webhooks.workers
      where id in (
        select id from webhooks.workers
        where alive_until < now() or pg_try_advisory_xact_lock(hashtextextended(id::text, 0))
      )
      returning id`
    if (dead.length > 0) {
      await release(
        transaction,
        dead.map(({ id }) => id),
      )
    }
    return dead.length
  })
}

async function release(db: Queryable, workers: readonly string[]): Promise<void> {
  const ids = db.types.texts(workers)
  await db`
    update webhooks.deliveries
    set state = 'waiting', worker = null
    where state = 'sending' and worker = any (${ids}::text[]::uuid[])`
  await db`update webhooks.lanes set worker = null where worker = any (${ids}::text[]::uuid[])`
}

/** Webhooks for which something is due that nobody, or this worker, looks after. */
export async function findDue(db: Database, worker: string, limit: number): Promise<string[]> {
  const rows = await db<{ id: string }[]>`
    select l.webhook_id as id
    from webhooks.lanes l
    join webhooks.webhooks w on w.id = l.webhook_id
    where w.active
      and (l.held_until is null or l.held_until <= now())
      and (l.worker is null or l.worker = ${worker}::uuid)
      and (
        exists (
          select from webhooks.deliveries new
          where new.webhook_id = l.webhook_id and new.state = 'waiting' and new.attempts = 0
        )
        or exists (
          select from webhooks.deliveries again
          where again.webhook_id = l.webhook_id and again.state = 'waiting' and again.attempts > 0
            and again.next_attempt_at <= now()
        )
      )
    limit ${limit}`
  return rows.map(({ id }) => id)
}

/** The channel on which the worker that has a webhook is told that there is more for it. */
export const laneChannel = 'webhook_lanes'

/** Tells whoever looks after these webhooks, if somebody does, that there is more. */
export async function tellHolders(
  db: Database,
  worker: string,
  webhookIds: readonly string[],
): Promise<void> {
  await db`
    select pg_notify(${laneChannel}, webhook_id::text)
    from webhooks.lanes
    where webhook_id = any (${db.types.texts(webhookIds)}::text[]::uuid[]) and worker <> ${worker}::uuid`
}
