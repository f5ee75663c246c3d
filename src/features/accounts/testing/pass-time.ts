import type { Database } from '../../../platform/db/connection.js'

/**
 * Lets time pass for what the database compares with its now: holds of fids, retries, idle registrations and sent transactions. A
 * row that a transaction has locked is moved after it.
 */
export async function passTime(db: Database, ms: number): Promise<void> {
  const past = db`${ms}::double precision * interval '1 millisecond'`
  // Never waits for a row while it holds another one, so that it is in no deadlock with the statements of a server.
  let left = await db<{ id: string }[]>`
    select id from accounts.fid_pool where used_at is null and (held_until > now() or fid is null)`
  while (left.length > 0) {
    const isLeft = db`id = any(${db.types.texts(left.map(({ id }) => id))}::text[]::uuid[])`
    left = await db<{ id: string }[]>`
      with free as (select id from accounts.fid_pool where ${isLeft} for update skip locked),
      moved as (
        update accounts.fid_pool set held_until = held_until - ${past}, next_attempt_at = next_attempt_at - ${past}
        where id in (select id from free)
      )
      select id from accounts.fid_pool where ${isLeft} and id not in (select id from free)`
  }
  await db`
    update accounts.registrations set attempted_at = attempted_at - ${past}
    where id in (select id from accounts.registrations where finished_at is null for update skip locked)`
  await db`
    update accounts.direct_registrations
    set attempted_at = attempted_at - ${past}, next_attempt_at = next_attempt_at - ${past}
    where id in (select id from accounts.direct_registrations where finished_at is null for update skip locked)`
  await db`
    update accounts.attempts set signed_at = signed_at - ${past}
    where transaction_id in (select id from accounts.transactions where state = 'recorded')`
}
