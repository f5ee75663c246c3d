import { createServer } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { createTestDatabase } from '../../test/database.js'
import { startTestServer, type TestServer } from '../../test/running-server.js'
import { createLogger } from '../platform/log/logger.js'
import { startServer } from './compose.js'
import { configOf } from './testing/config-of.js'

const { db, url } = await createTestDatabase()

async function statusOf(address: string): Promise<number> {
  return (await fetch(address)).status
}

async function readiness({ urls }: TestServer): Promise<{ status: number; body: object }> {
  const reply = await fetch(`${urls.main}/readyz`)
  return { status: reply.status, body: (await reply.json()) as object }
}

/** Names of the jobs that each process has run, by its role. */
async function jobsByRole(): Promise<Record<string, string[]>> {
  const rows = await db<{ role: string; jobs: string[] }[]>`
    select p.roles[1] as role, array_agg(j.name order by j.name) as jobs
    from app.job_runs j join app.processes p on p.id = j.process_id group by 1`
  return Object.fromEntries(rows.map(({ role, jobs }) => [role, jobs]))
}

const inEveryProcess = ['process measures', 'runs of jobs']
const jobs = {
  api: ['activity of the hub', 'old requests of API keys', 'requests of API keys', 'use of API keys'],
  worker: [
    'URLs that only requests have named',
    'answers of repeatable requests',
    'channel activity',
    'check of stored names',
    'database size',
    'deliveries of inactive webhooks',
    'deliveries of webhooks that wait too long',
    'ended secrets of webhooks',
    'event log partitions',
    'manifests of mini apps',
    'messages that the upstream refused',
    'old batches of notifications',
    'old deliveries of webhooks',
    'old entries of the audit log',
    'old opens of notifications',
    'old rankings of casts',
    'scores',
    'search lists',
    'search vocabulary',
    'tokens and notifications of mini app hosts',
    'topics',
    'traces of the event log',
    'history in the event log',
    'trends of mini apps',
    'validated frame actions',
    'waiting threads',
  ],
  sync: [],
}

it('processes of one role each run its parts, and no others', async () => {
  const hubPorts = { HUB_PORT: '0', HUB_GRPC_PORT: '0' }
  const start = (roles: string, more = {}) => startTestServer(url, { ROLES: roles, ...more })
  const [api, worker, sync] = [await start('api', hubPorts), await start('worker'), await start('sync')]

  expect(await statusOf(`${api.urls.main}/v2/farcaster/user/bulk?fids=1`)).toBe(401)
  expect(await statusOf(`${api.urls.main}/v1/info`)).toBe(200)
  expect(await statusOf(`${api.urls.main}/`)).toBe(200)
  for (const { urls } of [worker, sync]) {
    expect(Object.keys(urls)).toEqual(['main'])
    for (const path of ['/v2/farcaster/user/bulk?fids=1', '/v1/info', '/'])
      expect(await statusOf(urls.main + path)).toBe(404)
    // These read no feeds: a window that is never filled would look like one that is slow.
    const reply = await fetch(`${urls.main}/metrics`)
    expect([reply.status, (await reply.text()).includes('plaza_recent_window_filled')]).toEqual([200, false])
  }
  for (const server of [api, worker, sync]) {
    await expect
      .poll(() => readiness(server))
      .toMatchObject({
        status: 200,
        body: { missingRoles: [], roles: { api: 1, worker: 1, sync: 1 } },
      })
  }
  const expected = Object.fromEntries(
    Object.entries(jobs).map(([role, names]) => [role, [...names, ...inEveryProcess].sort()]),
  )
  await expect.poll(jobsByRole).toEqual(expected)

  await Promise.all([worker.stop(), sync.stop()])
  await expect.poll(() => readiness(api)).toMatchObject({ body: { missingRoles: ['worker'] } })
})

it('the hub has addresses of its own where they are asked for', async () => {
  const { urls } = await startTestServer(url, { HUB_PORT: '0', HUB_GRPC_PORT: '0', ROLES: 'api' })
  expect(urls.hub).not.toBe(urls.main)
  expect(urls.grpc).toMatch(/^127\.0\.0\.1:\d+$/)
  expect(await statusOf(`${urls.hub}/v1/info`)).toBe(200)
  expect(await statusOf(`${urls.hub}/v2/farcaster/user/bulk?fids=1`)).toBe(404)
  expect(await statusOf(`${urls.hub}/readyz`)).toBe(404)
})

it('a server that cannot listen leaves nothing behind', async () => {
  const blocker = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => blocker.once('listening', resolve))
  onTestFinished(() => void blocker.close())
  const { port } = blocker.address() as { port: number }
  await expect(startTestServer(url, { PORT: String(port) })).rejects.toThrow('EADDRINUSE')
  expect(await db`select from app.processes`).toHaveLength(0)
})

it('a host without an address is refused with the name of its variable', async () => {
  await expect(startTestServer(url, { HOST: 'plaza.invalid' })).rejects.toThrow(
    /^HOST: "plaza\.invalid" has no address .*: set it to an address of this machine, such as 127\.0\.0\.1$/,
  )
})

it('a database that somebody else runs gets no API key, unless one is configured', async () => {
  await db`delete from apps.api_keys`
  const env = { DATABASE_URL: url, PORT: '0', VERIFY_THREADS: '0', ROLES: 'api' }
  const server = await startServer(configOf(env), createLogger('silent'))
  onTestFinished(server.stop)
  expect(server.developmentKey).toBeNull()
  expect(await db`select from apps.api_keys`).toEqual([])
  const configured = await startTestServer(url, { ROLES: 'api' })
  expect(configured.developmentKey).toBeNull()
  expect(await configured.get('user/bulk?fids=1')).toEqual({ users: [] })
})
