import { expect, test } from 'vitest'
import { createTestDatabase } from '../../../../test/database.js'
import { ReconcileQueue } from '../reconcile-queue.js'
import { CheckpointWriter } from './checkpoint-writer.js'

const { db } = await createTestDatabase({ poolSize: 4 })

/** Records whether user 1 is queued when a cursor is saved, and lets the first statement that queues a user fail. */
async function watchSaves(): Promise<void> {
  await db.unsafe(`
    create table saves (next_id bigint, is_queued boolean);
    create sequence queueings;
    create function record_save() returns trigger language plpgsql as $$
      begin
        insert into saves select new.next_id, exists (select from sync.fids where fid = 1);
        return null;
      end
    $$;
    create function fail_first_queueing() returns trigger language plpgsql as $$
      begin
        if nextval('queueings') = 1 then raise 'not now'; end if;
        return null;
      end
    $$;
    create trigger record_save after insert or update on sync.cursors for each row execute function record_save();
    create trigger fail_first_queueing after insert on sync.fids for each row execute function fail_first_queueing()
  `)
}

test('a clock that goes back does not stop the saves', async () => {
  let nowMs = 10_000_000
  const flush = async () => {}
  const writer = new CheckpointWriter({
    session: db,
    upstream: 'clock:1',
    shard: 1,
    clock: () => nowMs,
    flush,
  })
  const nextId = async () =>
    (await db<{ id: number }[]>`select next_id as id from sync.cursors where upstream = 'clock:1'`)[0]?.id
  writer.push({ items: 1, nextId: 10, blockTime: 0 })
  await writer.settled(1)
  expect(await nextId()).toBe(10)
  nowMs -= 3_600_000
  writer.push({ items: 2, nextId: 20, blockTime: 0 })
  await writer.settled(2)
  expect(await nextId()).toBe(20)
})

test('a save while another one runs that fails -> the cursor does not pass a user who is not queued', async () => {
  await watchSaves()
  const queue = new ReconcileQueue(db)
  const flush = () => queue.flush()
  const writer = new CheckpointWriter({ session: db, upstream: 'stub:1', shard: 1, clock: () => 0, flush })
  queue.add(1, 'refused')
  writer.push({ items: 1, nextId: 10, blockTime: 0 })
  await writer.settled(1)
  const first = writer.save()
  writer.push({ items: 2, nextId: 20, blockTime: 0 })
  await writer.settled(2)
  const outcomes = await Promise.allSettled([first, writer.save()])
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled'])
  expect([...(await db`select next_id, is_queued from saves`)]).toEqual([{ next_id: 20, is_queued: true }])
})
