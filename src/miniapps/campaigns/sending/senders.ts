import type { Database, Queryable, Session } from '../../../db/connection.js'

/**
 * Who sends. A sender holds a lock for as long as its connection lives, which PostgreSQL frees at once when the process
 * is killed; and it says now and again that it lives, for connections that hang.
 */

/** Whoever has not said within this time that it lives is dead. */
const ALIVE_SECONDS = 10

/** How often a sender says that it lives, and looks for the dead. */
export const BEAT_MS = 3_000

/** Takes the sender's lock, on a connection that is held until it is released. */
export async function lockSender(db: Database, sender: string): Promise<Session> {
  const session = await db.reserve()
  await session`select pg_advisory_lock(hashtextextended(${lockName(sender)}, 0))`
  return session
}

/** Says that the sender lives. It holds its lock. */
export async function beat(db: Database, session: Session, sender: string): Promise<void> {
  await session`select 1`
  await db`
    insert into miniapps.senders (id, alive_until)
    values (${sender}, now() + ${ALIVE_SECONDS}::integer * interval '1 second')
    on conflict (id) do update set alive_until = excluded.alive_until`
}

/** Gives everything that this sender has back to the others, and says that it is no more. */
export async function retire(db: Database, sender: string): Promise<void> {
  await db.begin(async (transaction) => {
    await transaction`delete from miniapps.senders where id = ${sender}`
    await release(transaction, [sender])
  })
}

/** Frees what dead senders have. What they were sending is sent again: nobody knows whether it arrived. */
export async function buryDead(db: Database): Promise<number> {
  return db.begin(async (transaction) => {
    const dead = await transaction<{ id: string }[]>`
      delete from miniapps.senders
      where id in (
        select id from miniapps.senders
        where alive_until < now() or pg_try_advisory_xact_lock(hashtextextended(${lockName('')} || id::text, 0))
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

async function release(db: Queryable, senders: readonly string[]): Promise<void> {
  await db`
    update miniapps.batches
    set state = 'waiting', sender = null
    where state = 'sending' and sender = any (${db.types.texts(senders)}::text[]::uuid[])`
}

function lockName(sender: string): string {
  return `sender of notifications ${sender}`
}
