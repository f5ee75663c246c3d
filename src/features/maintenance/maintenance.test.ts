import { afterEach, expect, it, onTestFinished } from 'vitest'
import { createTestDatabase } from '../../../test/database.js'
import { createTestHub } from '../../../test/hub.js'
import { TestUser, testNow } from '../../../test/network.js'
import { startTcpProxy } from '../../../test/tcp-proxy.js'
import { createTestApi } from '../../app/testing/test-api.js'
import { connect } from '../../platform/db/connection.js'
import { silentLog } from '../../platform/log/log.js'
import { pause } from '../../platform/process/pause.js'
import { markInterrupted } from './maintenance-runs.js'
import {
  completed,
  type MaintenanceResult,
  type MaintenanceTask,
  startMaintenance,
} from './maintenance-worker.js'
import { readModelTasks } from './read-model-tasks.js'

const { db, url } = await createTestDatabase({ poolSize: 6 })
const adminToken = 'the-admin-token-of-the-tests-0123456789'
const { app } = await createTestApi({ db, adminToken })
const stops: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop()
})

async function admin(method: 'GET' | 'POST' | 'DELETE', path: string, payload?: object) {
  const reply = await app.inject({
    method,
    url: `/admin/${path}`,
    headers: { authorization: `Bearer ${adminToken}` },
    ...(payload && { payload }),
  })
  return { status: reply.statusCode, ...reply.json() }
}

const lastRun = async () => (await admin('GET', 'maintenance')).runs[0]

/** A process that can do this. */
function startWorker(tasks: Parameters<typeof startMaintenance>[0]['tasks']): () => Promise<void> {
  const stop = startMaintenance({ db, log: silentLog, tasks, pollMs: 10 })
  stops.push(stop)
  return stop
}

/** Goes on until it is ended. */
const endless: MaintenanceTask = {
  async run({ signal, onProgress }) {
    onProgress({ step: 'building indexes', done: 3, total: 10 })
    while (!signal.aborted) await pause(1_000, signal)
    return { report: ['3 of 10'], isComplete: false }
  },
}

it('nothing is maintained before anything was merged, and reconcile needs an upstream', async () => {
  expect(await admin('POST', 'maintenance', { kind: 'recount' })).toMatchObject({ status: 409 })
  expect(await admin('POST', 'maintenance', { kind: 'reconcile' })).toMatchObject({
    status: 501,
    message: expect.stringContaining('UPSTREAM_HUB'),
  })
  expect(await admin('POST', 'maintenance', { kind: 'backup' })).toMatchObject({ status: 400 })
  expect(await admin('DELETE', 'maintenance/9')).toMatchObject({ status: 404 })
})

it('a recount and a replay run in the background and report', async () => {
  const hub = await createTestHub(db)
  const [ann, bob] = [new TestUser(1), new TestUser(2)]
  await hub.submitOnChainEvents([...ann.onChain(), ...bob.onChain()])
  await hub.submit([bob.link(1, testNow - 5)])
  await db`update social.user_counts set follower_count = 50 where fid = 1`
  startWorker(readModelTasks({ databaseUrl: url, shards: 1 }))
  expect(await admin('POST', 'maintenance', { kind: 'recount' })).toMatchObject({
    status: 201,
    run: { kind: 'recount', state: 'waiting', unit: 'parts', extra: null },
  })
  await expect.poll(lastRun).toMatchObject({ state: 'done' })
  expect((await lastRun()).report).toContain('followers and follows: 1 wrong, repaired')
  await admin('POST', 'maintenance', { kind: 'replay' })
  await expect.poll(lastRun).toMatchObject({
    kind: 'replay',
    state: 'done',
    step: 'processing new events',
    done: 0,
    total: null,
    report: ['the read model is rebuilt'],
  })
})

it('one runs at a time, shows its progress and is cancelled', async () => {
  startWorker({ replay: endless })
  const { run } = await admin('POST', 'maintenance', { kind: 'replay' })
  await expect.poll(lastRun).toMatchObject({ state: 'running', done: 3, total: 10 })
  expect(await admin('POST', 'maintenance', { kind: 'recount' })).toMatchObject({ status: 409 })
  expect(await admin('DELETE', `maintenance/${run.id}`)).toMatchObject({
    status: 200,
    run: { state: 'running', is_cancelling: true },
  })
  await expect.poll(lastRun).toMatchObject({ state: 'cancelled', report: ['3 of 10'] })
})

it('a run that waits is cancelled at once', async () => {
  startWorker({ recount: endless })
  const { run } = await admin('POST', 'maintenance', { kind: 'replay' })
  expect((await lastRun()).state).toBe('waiting')
  expect((await admin('DELETE', `maintenance/${run.id}`)).run.state).toBe('cancelled')
})

it('a run ends with its process', async () => {
  const stop = startWorker({ replay: endless })
  await admin('POST', 'maintenance', { kind: 'replay' })
  await expect.poll(lastRun).toMatchObject({ state: 'running' })
  await stop()
  expect((await lastRun()).state).toBe('interrupted')
  // One that died at once leaves it as it was.
  await db`update app.maintenance_runs set state = 'running', heartbeat_at = now() - interval '16 seconds'
    where id = (select max(id) from app.maintenance_runs)`
  expect(await admin('POST', 'maintenance', { kind: 'recount' })).toMatchObject({ status: 201 })
  expect((await admin('GET', 'maintenance')).runs[1].state).toBe('interrupted')
})

it('a run that fails says why, whatever characters that has', async () => {
  startWorker({ recount: { run: () => Promise.reject(new Error('no row a\0\ud800b')) } })
  await expect.poll(lastRun).toMatchObject({ state: 'failed', error: 'no row a \ufffdb' })
})

it('a run that has ended while the database is away is recorded when it is back', async () => {
  const proxy = await startTcpProxy(new URL(url).host)
  const proxied = connect(Object.assign(new URL(url), { host: proxy.address }).href, {
    poolSize: 2,
    applicationName: 'plaza test',
  })
  onTestFinished(() => proxied.end({ timeout: 1 }))
  let end: ((result: MaintenanceResult) => void) | undefined
  const task: MaintenanceTask = {
    run: () =>
      new Promise((resolve) => {
        end = resolve
      }),
  }
  stops.push(startMaintenance({ db: proxied, log: silentLog, tasks: { replay: task }, pollMs: 10 }))
  await admin('POST', 'maintenance', { kind: 'replay' })
  // Its claim is visible before the worker has the reply.
  await expect.poll(() => end !== undefined).toBe(true)
  const { target } = proxy
  proxy.target = '127.0.0.1:1'
  proxy.cut()
  end!(completed(['it took hours']))
  // Another process has taken its process for dead.
  await db`update app.maintenance_runs set heartbeat_at = now() - interval '1 minute' where state = 'running'`
  await markInterrupted(db)
  proxy.target = target
  await expect.poll(lastRun).toMatchObject({ state: 'done', report: ['it took hours'] })
})
