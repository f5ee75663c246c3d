import { expect, it } from 'vitest'
import { createTestDatabase } from '../../../test/database.js'
import { countLookups, openChainLookups } from '../../app/open-lookups.js'
import { configOf } from '../../app/testing/config-of.js'
import { silentLog } from '../../platform/log/log.js'
import { createMetrics } from '../../platform/metrics.js'
import { parseRoles } from '../../platform/process/roles.js'
import { version } from '../../platform/process/version.js'
import { registerProcess } from './process-registry.js'

const { db, connect } = await createTestDatabase()

it('a process is counted by its roles, in the metrics too, until it stops', async () => {
  // No heartbeat revives those that the test declares dead.
  const heartbeatMs = 600_000
  const register = (roles: string, connections: number) =>
    registerProcess(db, { roles: parseRoles(roles), connections, heartbeatMs }, silentLog)
  const first = await register('api,worker', 1)
  const second = await register('api', 2)
  expect(await first.countByRole()).toEqual({ api: 2, worker: 1, sync: 0 })
  expect(
    await db`select id, roles, version, pid, connections from app.processes order by connections`,
  ).toEqual([
    { id: first.id, roles: ['api', 'worker'], version, pid: process.pid, connections: 1 },
    { id: second.id, roles: ['api'], version, pid: process.pid, connections: 2 },
  ])
  const metrics = createMetrics()
  first.observe(metrics)
  const read = async () =>
    (await metrics.registry.metrics()).split('\n').filter((line) => line.startsWith('plaza_role_processes{'))
  expect(await read()).toEqual([
    'plaza_role_processes{role="api"} 2',
    'plaza_role_processes{role="worker"} 1',
    'plaza_role_processes{role="sync"} 0',
  ])
  await second.stop()
  expect((await read())[0]).toBe('plaza_role_processes{role="api"} 1')
  // One that gives no sign of life for ten seconds counts no more.
  await db`update app.processes set alive_until = now()`
  expect(await first.countByRole()).toEqual({ api: 0, worker: 0, sync: 0 })
  await first.stop()
  expect(await db`select from app.processes`).toEqual([])
})

it('a role without work is left out until a process has it', async () => {
  const idleRoles = parseRoles('sync')
  const api = await registerProcess(
    db,
    { roles: parseRoles('api,worker'), connections: 1, idleRoles },
    silentLog,
  )
  expect(await api.countByRole()).toEqual({ api: 1, worker: 1 })
  const sync = await registerProcess(db, { roles: parseRoles('sync'), connections: 1, idleRoles }, silentLog)
  expect(await api.countByRole()).toEqual({ api: 1, worker: 1, sync: 1 })
  await Promise.all([api.stop(), sync.stop()])
})

it.each([
  { of: 'an upstream', insert: "insert into sync.cursors values ('hub.example:3383', 1, 1, 1)" },
  {
    of: 'a chain',
    insert: "insert into chain.followers (name, chain_id, next_block) values ('registry', 10, 1)",
  },
  { of: 'a public API', insert: "insert into sync.imports (name, cursor) values ('fnames', '1')" },
])(
  'a position in $of: the role sync is expected by processes that are not configured for it',
  async ({ insert }) => {
    const idleRoles = parseRoles('sync')
    const api = await registerProcess(db, { roles: parseRoles('api'), connections: 1, idleRoles }, silentLog)
    await db.unsafe(insert)
    expect(await api.countByRole()).toEqual({ api: 1, worker: 0, sync: 0 })
    const sync = await registerProcess(db, { roles: parseRoles('sync'), connections: 1 }, silentLog)
    expect(await api.countByRole()).toEqual({ api: 1, worker: 0, sync: 1 })
    await Promise.all([api.stop(), sync.stop()])
    await db`truncate sync.cursors, sync.imports, chain.followers cascade`
  },
)

it('without the database the metric is absent, and a process stops', async () => {
  const other = connect()
  const process = await registerProcess(other, { roles: parseRoles('api'), connections: 1 }, silentLog)
  const metrics = createMetrics()
  process.observe(metrics)
  await other.end({ timeout: 0 })
  expect(await metrics.registry.metrics()).not.toContain('plaza_role_processes{')
  await process.stop()
  await db`delete from app.processes`
})

it('questions to chains are counted by network and outcome', async () => {
  const { registry } = createMetrics()
  const count = countLookups(registry)
  count('base', 'found' as never)
  count('base', 'found' as never)
  expect(await registry.metrics()).toContain('plaza_chain_lookups_total{network="base",outcome="found"} 2')
  expect(openChainLookups(configOf({}))).toBeDefined()
})
