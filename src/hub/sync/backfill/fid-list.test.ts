import { expect, test } from 'vitest'
import { createTestDatabase } from '../../../../test/database.js'
import { ReconcileQueue } from '../reconcile-queue.js'
import { enqueueFids, markFetched, readUsersToFetch, type UserToFetch } from './fid-list.js'

const { db } = await createTestDatabase()

test('a fetched user loses the reason to be compared, unless it was queued again since the list was read', async () => {
  const queue = new ReconcileQueue(db)
  await enqueueFids(db, [1, 2, 3, 4])
  queue.add(3, 'before')
  // At another time than what follows.
  await db`insert into sync.fids values (5, null, null, 'before', now() - interval '1 second')`
  await queue.flush()
  const users: UserToFetch[] = []
  for await (const user of readUsersToFetch(db, new AbortController().signal)) users.push(user)
  for (const fid of [2, 5]) queue.add(fid, 'since')
  await queue.flush()
  await markFetched(db, users.slice(1))
  expect(
    await db`select fid, backfilled_at is not null as fetched, reconcile_reason as reason from sync.fids order by fid`,
  ).toEqual([
    { fid: 1, fetched: false, reason: null },
    { fid: 2, fetched: true, reason: 'since' },
    { fid: 3, fetched: true, reason: null },
    { fid: 4, fetched: true, reason: null },
    { fid: 5, fetched: true, reason: 'since' },
  ])
})
