import { randomUUID } from 'node:crypto'
import { beforeEach, expect, it } from 'vitest'
import { createTestDatabase } from '../../../test/database.js'
import type { Database } from './connection.js'
import { WorkerRegister } from './worker-register.js'

const { db, connect } = await createTestDatabase({ migrated: false })
await db`create schema work`
await db`create table work.workers (id uuid primary key, alive_until timestamptz not null)`
await db`create table work.tasks (name text primary key, worker uuid)`
beforeEach(async () => void (await db`truncate work.workers, work.tasks`))

const register = new WorkerRegister('work.workers', async (sql, dead) => {
  await sql`
    update work.tasks set worker = null where worker = any (${sql.types.texts(dead)}::text[]::uuid[])`
})

/** A worker that lives, and has a task of this name. */
async function startWorker(task: string) {
  const id = randomUUID()
  const own = connect({ poolSize: 1 })
  await register.beat(db, own, id)
  await db`insert into work.tasks (name, worker) values (${task}, ${id})`
  return { id, own }
}

/** Tasks that somebody has. */
async function tasksHeld(): Promise<string[]> {
  const rows = await db<{ name: string }[]>`
    select name from work.tasks where worker is not null order by name`
  return rows.map(({ name }) => name)
}

/** Ends a worker's connection as the end of its process does. */
async function cutOff({ own }: { readonly own: Database }): Promise<void> {
  const [row] = await own<{ pid: number }[]>`select pg_backend_pid() as pid`
  await db`select pg_terminate_backend(${row!.pid}, 10000)`
}

it('leaves what the living have', async () => {
  const first = await startWorker('reading')
  await startWorker('writing')
  await register.beat(db, first.own, first.id)

  expect(await register.buryDead(db)).toBe(0)
  expect(await tasksHeld()).toEqual(['reading', 'writing'])
})

it('frees at once what a worker had whose connection is gone, and nothing of the others', async () => {
  const dead = await startWorker('reading')
  await startWorker('writing')
  await cutOff(dead)

  expect(await register.buryDead(db)).toBe(1)
  expect(await tasksHeld()).toEqual(['writing'])
  expect(await register.buryDead(db)).toBe(0)
})

it('frees what a worker had that has not said for long that it lives, though its connection stands', async () => {
  const hanging = await startWorker('reading')
  await startWorker('writing')
  await db`update work.workers set alive_until = now() - interval '1 second' where id = ${hanging.id}`

  expect(await register.buryDead(db)).toBe(1)
  expect(await tasksHeld()).toEqual(['writing'])
})

it('a worker that lost its connection lives again with its next beat', async () => {
  const worker = await startWorker('reading')
  await cutOff(worker)
  // The first statement after it may be the one that notices.
  await expect.poll(() => register.beat(db, worker.own, worker.id).then(() => true)).toBe(true)

  expect(await register.buryDead(db)).toBe(0)
  expect(await tasksHeld()).toEqual(['reading'])
})

it('buries each of the dead once, however many bury at once', async () => {
  const dead = await Promise.all(['a', 'b', 'c'].map(startWorker))
  await startWorker('writing')
  await Promise.all(dead.map(cutOff))

  const buried = await Promise.all([1, 2, 3].map(() => register.buryDead(db)))
  expect(buried.reduce((sum, count) => sum + count, 0)).toBe(3)
  expect(await tasksHeld()).toEqual(['writing'])
})

it('who retires gives back what it has', async () => {
  const { id } = await startWorker('reading')
  await startWorker('writing')

  await register.retire(db, id)
  expect(await tasksHeld()).toEqual(['writing'])
  expect(await db`select from work.workers`).toHaveLength(1)
})
