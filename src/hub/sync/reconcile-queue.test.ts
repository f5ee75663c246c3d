import { expect, it } from 'vitest'
import { createTestDatabase } from '../../../test/database.js'
import { queueKnownUsers, ReconcileQueue } from './reconcile-queue.js'

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
