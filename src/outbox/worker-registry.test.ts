import { randomUUID } from 'node:crypto'
import { beforeEach, expect, it } from 'vitest'
import { createTestDatabase } from '../../test/database.js'
import type { Database, Queryable } from '../platform/db/connection.js'
import { WorkerRegistry } from './worker-registry.js'

const { db, connect } = await createTestDatabase({ migrated: false })
await db`create schema work`
await db`create table work.workers (id uuid primary key, alive_until timestamptz not null)`
await db`create table work.tasks (name text primary key, worker uuid)`

let nowMs = 0
let register: WorkerRegistry

/** The registry of a process. */
function openRegistry(): WorkerRegistry {
  const release = async (sql: Queryable, expiredWorker: readonly string[]) => {
    await sql`
      update work.tasks set worker = null where worker = any (${sql.types.texts([...expiredWorker])}::text[]::uuid[])`
  }
  return new WorkerRegistry('work.workers', release, () => nowMs)
}

beforeEach(async () => {
  await db`truncate work.workers, work.tasks`
  register = openRegistry()
})

/** Starts a worker that has a task of this name. */
async function startWorker(task: string, registry = register) {
  const id = randomUUID()
  const lockDb = connect({ poolSize: 1 })
  await registry.heartbeat(db, lockDb, id)
  await db`insert into work.tasks (name, worker) values (${task}, ${id})`
  return { id, lockDb: lockDb }
}

/** Lists the tasks that a worker has. */
async function claimedTasks(): Promise<string[]> {
  const rows = await db<{ name: string }[]>`
    select name from work.tasks where worker is not null order by name`
  return rows.map(({ name }) => name)
}

/** Ends the connection of a worker, as the death of its process does. */
async function closeLockConnection({ lockDb }: { readonly lockDb: Database }): Promise<void> {
  const [row] = await lockDb<{ pid: number }[]>`select pg_backend_pid() as pid`
  await db`select pg_terminate_backend(${row!.pid}, 10000)`
}

/** Lets the time pass in which a registry takes no lease that has ended for a death. */
function passGrace(): void {
  nowMs += 10_000
}

it('live workers keep their work', async () => {
  const first = await startWorker('reading')
  await startWorker('writing')
  await register.heartbeat(db, first.lockDb, first.id)

  expect(await register.reapExpired(db)).toBe(0)
  expect(await claimedTasks()).toEqual(['reading', 'writing'])
})

it('the work of a worker whose connection is gone is released at once, and no other work', async () => {
  const expiredWorker = await startWorker('reading')
  await startWorker('writing')
  await closeLockConnection(expiredWorker)

  expect(await register.reapExpired(db)).toBe(1)
  expect(await claimedTasks()).toEqual(['writing'])
  expect(await register.reapExpired(db)).toBe(0)
})

it('the work of a worker that does not renew its lease is released, though its connection is open', async () => {
  const hungWorker = await startWorker('reading')
  await startWorker('writing')
  await db`update work.workers set alive_until = now() - interval '1 second' where id = ${hungWorker.id}`
  passGrace()

  expect(await register.reapExpired(db)).toBe(1)
  expect(await claimedTasks()).toEqual(['writing'])
})

it('a worker that lost its connection is alive again after its next heartbeat', async () => {
  const worker = await startWorker('reading')
  await closeLockConnection(worker)
  // The first statement after it may be the one that notices.
  await expect.poll(() => register.heartbeat(db, worker.lockDb, worker.id).then(() => true)).toBe(true)

  expect(await register.reapExpired(db)).toBe(0)
  expect(await claimedTasks()).toEqual(['reading'])
})

it('each dead worker is reaped once, by however many others at once', async () => {
  const expiredWorker = await Promise.all(['a', 'b', 'c'].map((task) => startWorker(task)))
  await startWorker('writing')
  await Promise.all(expiredWorker.map(closeLockConnection))

  const reaped = await Promise.all([1, 2, 3].map(() => register.reapExpired(db)))
  expect(reaped.reduce((sum, count) => sum + count, 0)).toBe(3)
  expect(await claimedTasks()).toEqual(['writing'])
})

/** Renews a lease over the connection that replaces a lost one: the first statement may be the one that notices. */
async function comeBack(registry: WorkerRegistry, { id, lockDb }: Awaited<ReturnType<typeof startWorker>>) {
  await expect.poll(() => registry.heartbeat(db, lockDb, id).then(() => true)).toBe(true)
}

it.each(['a failed heartbeat', 'heartbeats that succeed'])(
  'after an outage with %s a process leaves others the time of a lease to come back',
  async (kind) => {
    const [mine, theirs] = [openRegistry(), openRegistry()]
    const [first, second] = [await startWorker('reading', mine), await startWorker('writing', theirs)]
    const dead = await startWorker('sleeping', openRegistry())
    if (kind === 'a failed heartbeat') {
      const away = connect({ poolSize: 1 })
      await away.end()
      await expect(mine.heartbeat(db, away, first.id)).rejects.toThrow()
    }
    await Promise.all([first, second, dead].map(closeLockConnection))
    await db`update work.workers set alive_until = now() - interval '1 second'`

    await comeBack(mine, first)
    expect(await mine.reapExpired(db)).toBe(0)
    await comeBack(theirs, second)
    nowMs += 9_999
    expect(await mine.reapExpired(db)).toBe(0)
    nowMs += 1
    expect(await mine.reapExpired(db)).toBe(1)
    expect(await claimedTasks()).toEqual(['reading', 'writing'])
  },
)

it('a process that starts as the database comes back leaves others the time of a lease to come back', async () => {
  const [mine, theirs] = [openRegistry(), openRegistry()]
  const [live, dead] = [await startWorker('writing', theirs), await startWorker('sleeping', openRegistry())]
  await Promise.all([live, dead].map(closeLockConnection))
  await db`update work.workers set alive_until = now() - interval '1 second'`
  await startWorker('reading', mine)

  expect(await mine.reapExpired(db)).toBe(0)
  await comeBack(theirs, live)
  passGrace()
  expect(await mine.reapExpired(db)).toBe(1)
  expect(await claimedTasks()).toEqual(['reading', 'writing'])
})

it('after a heartbeat that came later than its lease a process waits for others too', async () => {
  const [mine, theirs] = [openRegistry(), openRegistry()]
  const first = await startWorker('reading', mine)
  await startWorker('writing', theirs)
  await db`update work.workers set alive_until = now() - interval '1 second'`
  nowMs += 10_001
  await mine.heartbeat(db, first.lockDb, first.id)

  expect(await mine.reapExpired(db)).toBe(0)
  expect(await claimedTasks()).toEqual(['reading', 'writing'])
})

it('a worker that deregisters releases its work', async () => {
  const { id } = await startWorker('reading')
  await startWorker('writing')

  await register.deregister(db, id)
  expect(await claimedTasks()).toEqual(['writing'])
  expect(await db`select from work.workers`).toHaveLength(1)
})
