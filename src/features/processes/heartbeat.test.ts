import { beforeEach, expect, it, onTestFinished } from 'vitest'
import { createTestDatabase } from '../../../test/database.js'
import { type Log, silentLog } from '../../platform/log/log.js'
import { parseRoles } from '../../platform/process/roles.js'
import { registerProcess } from './process-registry.js'

const { db } = await createTestDatabase()
const details = { roles: parseRoles('api'), connections: 1 }
/** Longer than any test: the process gives no sign of life by itself. */
const NEVER_MS = 600_000

beforeEach(async () => {
  await db`delete from app.processes`
})

/** Registers a process with fast heartbeats. Returns its warnings. */
async function register() {
  const lines: string[] = []
  const log: Log = { ...silentLog, warn: (_fields, text) => lines.push(text) }
  const registered = await registerProcess(db, { ...details, heartbeatMs: 5 }, log)
  onTestFinished(registered.stop)
  return { ...registered, lines }
}

it('a live process renews its registration, also one that counted as dead or was forgotten', async () => {
  const { id, countByRole } = await register()
  await db`update app.processes set alive_until = now() - interval '1 second'`
  await expect.poll(async () => (await countByRole()).api).toBe(1)
  await db`delete from app.processes`
  await expect
    .poll(() => db`select id, roles, connections from app.processes`)
    .toEqual([{ id, roles: ['api'], connections: 1 }])
})

it('a process without a heartbeat counts for ten seconds', async () => {
  const { stop } = await registerProcess(db, { ...details, heartbeatMs: NEVER_MS }, silentLog)
  const [row] = await db<{ inTime: boolean }[]>`
    select alive_until between now() + interval '5 seconds' and now() + interval '10 seconds' as "inTime"
    from app.processes`
  expect(row).toEqual({ inTime: true })
  // It does not wait for the next heartbeat.
  await stop()
  expect(await db`select from app.processes`).toEqual([])
})

it('those that died a minute ago are deleted by the heartbeats of others', async () => {
  const dead = ['50 seconds', '61 seconds']
  const processes = dead.map(() => registerProcess(db, { ...details, heartbeatMs: NEVER_MS }, silentLog))
  for (const [index, registered] of (await Promise.all(processes)).entries()) {
    onTestFinished(registered.stop)
    await db`
      update app.processes set alive_until = now() - ${dead[index]!}::interval where id = ${registered.id}`
  }
  const { id } = await register()
  const ids = (await db<{ id: string }[]>`select id from app.processes`).map((row) => row.id)
  expect(ids).toHaveLength(2)
  expect(ids).toContain(id)
})

it('heartbeats that fail are warned of once, until one has succeeded', async () => {
  const { lines, countByRole } = await register()
  // A sequence counts also what is rolled back.
  await db`create sequence failed_heartbeats`
  await db`
    create function refuse_heartbeat() returns trigger language plpgsql as $$
    begin perform nextval('failed_heartbeats'); raise 'refused'; end $$`
  const failures = async () => Number((await db`select last_value as count from failed_heartbeats`)[0]?.count)
  const failFor = async (untilCount: number) => {
    await db`create trigger refusing before insert on app.processes execute function refuse_heartbeat()`
    await expect.poll(failures).toBeGreaterThan(untilCount)
    await db`drop trigger refusing on app.processes`
  }
  await failFor(5)
  const warning = 'the heartbeat of this process could not be written'
  expect(lines).toEqual([warning])
  await db`update app.processes set alive_until = now()`
  await expect.poll(async () => (await countByRole()).api).toBe(1)
  await failFor((await failures()) + 5)
  expect(lines).toEqual([warning, warning])
})
