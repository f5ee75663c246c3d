import { randomUUID } from 'node:crypto'
import { afterAll, expect, it, vi } from 'vitest'
import { createTestDatabase } from '../../../../../test/database.js'
import { silentLog } from '../../../../platform/log/log.js'
import { createNetClient } from '../../../../platform/outbound/net-client.js'
import { startSender } from './sender-process.js'
import { senderRegister } from './senders.js'

const { db, connect } = await createTestDatabase()
const net = createNetClient({ policy: { allowHttp: true, allowLoopback: true }, userAgent: 'plaza test' })
afterAll(() => net.close())

it('a sender whose look at the queue fails goes on living, and is buried by nobody', async () => {
  const settings = { isAsync: true, intervalSeconds: 0, perDay: 1, concurrency: 1, timeoutMs: 400 }
  const pool = connect({ poolSize: 4 })
  // As in a process that has been at work: more than one connection is open.
  await Promise.all([1, 2, 3, 4].map(() => pool`select pg_sleep(0.05)`))
  const lockDb = connect({ poolSize: 1 })
  const error = vi.fn()
  await db`alter table miniapps.campaigns rename to away`
  const sender = await startSender({
    db: pool,
    lockDb,
    net,
    settings,
    sender: randomUUID(),
    log: { ...silentLog, error },
  })
  await expect.poll(() => error.mock.calls.length).toBeGreaterThan(0)
  await db`alter table miniapps.away rename to campaigns`
  const heartbeats = async () => (await db`select alive_until::text from miniapps.senders`)[0]?.alive_until
  const before = await heartbeats()

  await expect.poll(heartbeats).not.toBe(before)
  expect(await senderRegister.reapExpired(db)).toBe(0)
  await sender.stop()
  expect(await db`select from miniapps.senders`).toHaveLength(0)
})
