import { expect, it } from 'vitest'
import { createTestDatabase } from '../../../test/database.js'
import { enqueueFids, resetFetched } from './backfill/fid-list.js'
import { MAX_RANGE_FIDS } from './fid-ranges.js'
import { addUnlistedFids } from './reconcile/reconcile-queries.js'
import { queueAllUsers, queueKnownUsers, ReconcileQueue } from './reconcile-queue.js'

const { db } = await createTestDatabase()

it('users whose flush fails stay queued, with the newest reason', async () => {
  const queue = new ReconcileQueue(db)
  queue.add(1, 'refused')
  queue.add(2, 'refused')
  await db`alter table sync.fids rename to away`
  const failing = queue.flush()
  queue.add(2, 'gap')
  queue.add(3, 'gap')
  await expect(failing).rejects.toThrow('sync.fids')
  await db`alter table sync.away rename to fids`

  await queue.flush()
  expect(await db`select fid, reconcile_reason from sync.fids order by fid`).toEqual([
    { fid: 1, reconcile_reason: 'refused' },
    { fid: 2, reconcile_reason: 'gap' },
    { fid: 3, reconcile_reason: 'gap' },
  ])
})

it('queueKnownUsers: queues users of the sync, and selects no others', async () => {
  await db`truncate sync.fids`
  await db`insert into sync.fids (fid, reconcile_reason) values (1, null), (2, 'gap')`
  await queueKnownUsers(db, [1, 2, 3], 'was lent storage')
  expect(await db`select fid, reconcile_reason from sync.fids order by fid`).toEqual([
    { fid: 1, reconcile_reason: 'was lent storage' },
    { fid: 2, reconcile_reason: 'gap' },
  ])
})

// One statement for all users of the network takes longer than a statement may.
it('no statement is about more users than one range, and together they are about all', async () => {
  const users = 2 * MAX_RANGE_FIDS + 1
  await db`truncate sync.fids`
  await db`
    insert into hub.fids (fid, shard, custody_address, recovery_address, registered_at)
    select fid, 1, '', '', 0 from generate_series(1, ${users}::integer) as fid`
  await db.unsafe(`
    create table statements (rows integer);
    create function note() returns trigger language plpgsql as $$ begin
      insert into statements select count(*) from changed;
      return null;
    end $$;
    create trigger inserted after insert on sync.fids referencing new table as changed
      for each statement execute function note();
    create trigger updated after update on sync.fids referencing new table as changed
      for each statement execute function note();
  `)
  const written = async () => {
    const [row] = await db<{ most: number; all: number }[]>`
      with gone as (delete from statements returning rows)
      select max(rows) as most, sum(rows)::integer as all from gone`
    return row
  }
  const ranges = { most: MAX_RANGE_FIDS, all: users }
  await addUnlistedFids(db)
  expect(await written()).toEqual(ranges)
  await resetFetched(db)
  expect(await written()).toEqual(ranges)
  await enqueueFids(db, [1])
  await queueAllUsers(db, { isSubset: false, reason: 'a gap' })
  expect(
    await db`select count(*)::integer as queued from sync.fids where reconcile_reason = 'a gap'`,
  ).toEqual([{ queued: users }])
})

it('a user who is selected for several reasons is queued once', async () => {
  await db`truncate sync.fids`
  await db`
    insert into sync.selected_users (fid, reason, via)
    select fid, 'follow', via from generate_series(1, 500) as fid, generate_series(1001, 1010) as via`
  await queueAllUsers(db, { isSubset: true, reason: 'a gap' })
  expect(
    await db`select count(*)::integer as queued from sync.fids where reconcile_reason = 'a gap' and fid > 0`,
  ).toEqual([{ queued: 500 }])
})
