import { randomUUID } from 'node:crypto'
import { afterAll, expect, it } from 'vitest'
import { createTestDatabase } from '../../../../test/database.js'
import { silentLog } from '../../../platform/log/log.js'
import { createNetClient } from '../../../platform/outbound/net-client.js'
import { testVault } from '../../signers/testing/approved-signer.js'
import { startDeliveryWorker } from './delivery-worker.js'
import { addDeliveryJob, installJobs } from './jobs.js'

const { db, url, connect } = await createTestDatabase()
const net = createNetClient({ policy: { allowHttp: true, allowLoopback: true }, userAgent: 'plaza test' })
afterAll(() => net.close())

it('a database that goes away while a job is ended ends nothing but the queue, which is begun anew', async () => {
  await installJobs(url, silentLog)
  // As an administrator's command ends connections; a sequence counts also what is undone.
  await db`create sequence public.ends minvalue 0 start 0`
  await db.unsafe(`
    create function public.fail_first() returns trigger language plpgsql as $$
    begin
      if nextval('public.ends') = 0 then raise exception using errcode = '57P01', message = 'going down'; end if;
      return old;
    end $$;
    create trigger fail_first before delete on graphile_worker._private_jobs
    for each row execute function public.fail_first();
  `)
  const lockDb = connect({ poolSize: 1 })
  const renderContext = { db, hydrator: undefined as never }
  const settings = { concurrency: 1, clock: Date.now, random: Math.random, log: silentLog }
  const stop = await startDeliveryWorker({
    db,
    lockDb,
    databaseUrl: url,
    vault: testVault,
    net,
    renderContext,
    ...settings,
  })
  await addDeliveryJob(db, [randomUUID()])
  const remaining = async () => (await db`select from graphile_worker._private_jobs`).length
  const isFirstFinished = async () =>
    (await db<{ is_called: boolean }[]>`select is_called from public.ends`)[0]!.is_called
  await expect.poll(isFirstFinished).toBe(true)
  // The queue is at work again: another job comes to its end. The first is locked for long, and a look finds its webhook.
  await addDeliveryJob(db, [randomUUID()])
  await expect.poll(remaining).toBe(1)
  await stop()
})
