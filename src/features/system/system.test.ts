import { expect, it } from 'vitest'
import { createTestDatabase } from '../../../test/database.js'
import { configurationEntries, readConfig } from '../../app/config/config.js'
import { createTestApi } from '../../app/testing/test-api.js'
import { observeCaches } from '../../graph/cache/cache-metrics.js'
import { silentLog } from '../../platform/log/log.js'
import { createMetrics } from '../../platform/metrics.js'
import { JobRuns } from '../../platform/scheduler/job-runs.js'
import { registerProcess } from '../processes/process-registry.js'
import { listFailingJobs } from './jobs.js'

const { db } = await createTestDatabase()
const adminToken = 'the-admin-token-of-the-tests-0123456789'
const read = readConfig({ API_RATE_LIMIT: '600', ADMIN_TOKEN: adminToken, PORT: '8080' })
if ('problems' in read) throw new Error(read.problems)
const metrics = createMetrics()
observeCaches(metrics, () => ({
  lookups: { users: { hit: 3, miss: 1 } },
  sizes: { viewer_sets: { entries: 2, bytes: 64 } },
}))
const system = { configuration: configurationEntries(read.config), hasUpstream: false }
const { app } = await createTestApi({ db, adminToken, metrics, system })

async function admin(path: string) {
  const reply = await app.inject({
    url: `/admin/${path}`,
    headers: { authorization: `Bearer ${adminToken}` },
  })
  expect([reply.statusCode, reply.body]).toEqual([200, reply.body])
  return reply.json()
}

it('the configuration is shown as it was read, and no secret', async () => {
  const { variables } = await admin('configuration')
  const find = (name: string) => variables.find((each: { name: string }) => each.name === name)
  expect(find('API_RATE_LIMIT')).toMatchObject({ source: 'environment', value: '600', is_secret: false })
  // Given, though it is the default.
  expect(find('PORT')).toMatchObject({ source: 'environment', value: '8080', default: '8080' })
  expect(find('HUB_SHARDS').source).toBe('default')
  expect(find('ADMIN_TOKEN')).toMatchObject({ source: 'environment', is_secret: true, value: null })
  expect(find('DATABASE_URL')).toMatchObject({ source: 'not set', value: null })
  expect(JSON.stringify(variables)).not.toContain(adminToken)
})

it('migrations, partitions and caches are listed', async () => {
  const { migrations, caches, partitions } = await admin('system')
  expect(migrations[0]).toMatchObject({ state: 'applied', applied_at: expect.any(String) })
  expect(caches).toEqual([
    { object: 'cache', name: 'users', lookups: 4, hit_share: 0.75, entries: null, bytes: null },
    { object: 'cache', name: 'viewer_sets', lookups: 0, hit_share: null, entries: 2, bytes: 64 },
  ])
  expect(Array.isArray(partitions)).toBe(true)
})

it('jobs of live processes are listed with their last runs, whatever characters an error has', async () => {
  let nowMs = 1_000_000
  const runs = new JobRuns(
    () => nowMs,
    null,
    () => nowMs,
  )
  const process = await registerProcess(db, { roles: new Set(['worker']), connections: 5 }, silentLog)
  const end = runs.begin({ name: 'search lists', everyMs: 60_000 })
  await runs.flush(db, process.id)
  expect((await admin('jobs')).jobs).toEqual([
    expect.objectContaining({ name: 'search lists', runs: 0, duration_ms: null, next_at: null }),
  ])
  nowMs += 20
  end(60_000, new Error('no table \0\ud800'))
  runs.begin({ name: 'use of API keys', everyMs: 5_000, perProcess: true })(5_000)
  await runs.flush(db, process.id)
  expect((await admin('jobs')).jobs).toMatchObject([
    {
      name: 'search lists',
      runs: 1,
      failures: 1,
      duration_ms: 20,
      next_at: new Date(nowMs + 60_000).toISOString(),
      error: 'no table \ufffd\ufffd',
      per_process: false,
    },
    { name: 'use of API keys', failures: 0, error: null, per_process: true },
  ])
  await process.stop()
  expect((await admin('jobs')).jobs).toEqual([])
})

it('a job whose newest run succeeded is not failing, also after the clock was set back', async () => {
  let nowMs = 100_000_000
  const runs = new JobRuns(() => nowMs)
  const process = await registerProcess(db, { roles: new Set(['worker']), connections: 5 }, silentLog)
  const failing = async () => (await listFailingJobs(db)).map(({ name, error }) => `${name}: ${error}`)
  const job = { name: 'search lists', everyMs: 60_000 }
  runs.begin(job)(60_000, new Error('no table'))
  await runs.flush(db, process.id)
  expect(await failing()).toEqual(['search lists: no table'])
  nowMs -= 10_000_000
  const end = runs.begin(job)
  nowMs -= 1_000_000
  end(60_000)
  await runs.flush(db, process.id)
  expect(await failing()).toEqual([])
  // The last failure stays in the list of jobs.
  expect((await admin('jobs')).jobs).toMatchObject([{ failures: 1, error: 'no table' }])
  nowMs -= 10_000_000
  runs.begin(job)(60_000, new Error('again'))
  await runs.flush(db, process.id)
  expect(await failing()).toEqual(['search lists: again'])
  await process.stop()
})
