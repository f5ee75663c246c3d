import { expect, it } from 'vitest'
import { createTestDatabase } from '../../test/database.js'
import { parseRoles } from '../platform/process/roles.js'
import { type OpenOptions, openConnections, splitConnections } from './connections.js'

const { db, url } = await createTestDatabase()
const uses = ['read', 'views', 'write', 'work', 'sync', 'locks', 'listener'] as const

function open(options?: OpenOptions) {
  const roles = parseRoles('sync')
  return openConnections(url, splitConnections(20, roles, 1), options)
}

/** The timeouts of statements of each pool, in seconds. */
async function timeoutsOf(options?: OpenOptions) {
  const connections = open(options)
  const timeouts: Record<string, number> = {}
  for (const use of uses) {
    const [row] = await connections[use]<{ name: string; ms: number }[]>`
      select current_setting('application_name') as name, setting::integer as ms
      from pg_settings where name = 'statement_timeout'
    `
    expect(row!.name).toBe(`plaza ${use}`)
    timeouts[use] = row!.ms / 1000
  }
  await connections.end()
  return timeouts
}

it('each use has a pool of its own with its name and time, also one that no role uses', async () => {
  const { read, views, write, work, ...others } = await timeoutsOf({ requestTimeoutMs: 20_000 })
  expect([read, views, write]).toEqual([16, 16, 16])
  expect(work).toBe(600)
  expect(Object.keys(others)).toEqual(['sync', 'locks', 'listener'])
  const batches = await timeoutsOf()
  expect([batches.read, batches.views, batches.write]).toEqual([32, 32, 32])
  expect({ ...batches, ...{ read, views, write } }).toEqual({ read, views, write, work, ...others })
})

it('lookups by key are planned once', async () => {
  const connections = open()
  const modes = uses.map(async (use) => {
    const [row] = await connections[use]<
      { mode: string }[]
    >`select current_setting('plan_cache_mode') as mode`
    return [use, row!.mode]
  })
  expect(Object.fromEntries(await Promise.all(modes))).toMatchObject({
    read: 'auto',
    views: 'force_generic_plan',
    write: 'auto',
    work: 'auto',
  })
  await connections.end()
})

it('the state of a failed statement is told', async () => {
  const states: string[] = []
  const connections = open({ onError: (state) => states.push(state) })
  await expect(connections.read`select 1 / 0`).rejects.toThrow('division by zero')
  await expect(connections.work`select from nothing`).rejects.toThrow('nothing')
  expect(states).toEqual(['22012', '42P01'])
  await connections.end()
})

it('an ended pool takes no statements', async () => {
  const connections = open()
  await connections.read`select 1`
  await connections.end()
  for (const use of uses) await expect(connections[use]`select 1`).rejects.toThrow()
})

it('a pool has as many connections as its share, and one where that is none', async () => {
  const sizes = splitConnections(20, parseRoles('sync'), 1)
  const connections = openConnections(url, sizes)
  for (const [use, size] of [
    ['read', sizes.read],
    ['work', 1],
  ] as const) {
    const sessions = await Promise.all(Array.from({ length: size }, () => connections[use].reserve()))
    const name = `plaza ${use}`
    const rows = await db`
      select from pg_stat_activity where application_name = ${name} and datname = current_database()
    `
    expect(rows).toHaveLength(size)
    for (const session of sessions) session.release()
  }
  await connections.end()
})
