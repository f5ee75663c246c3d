import { expect, it } from 'vitest'
import { createTestDatabase } from './database.js'
import { createDataDir, type ServerProcess, startServerProcess } from './server-process.js'
import { tryFetch } from './try-fetch.js'
import {
  crashEnv,
  inconsistentEventsIn,
  missingCasts,
  registerUsersOf,
  startCasting,
  subscribeToCasts,
} from './webhooks/cast-load.js'
import { startReceiver } from './webhooks/receiver.js'

const { db, url: databaseUrl } = await createTestDatabase()

const start = async (roles: string): Promise<ServerProcess> =>
  startServerProcess({
    dataDir: await createDataDir(),
    env: { ...crashEnv, DATABASE_URL: databaseUrl, ROLES: roles, PLAZA_SECRET_KEY: 'k'.repeat(40) },
  })

const kill = async (server: ServerProcess): Promise<void> => {
  server.child.kill('SIGKILL')
  await server.ended
}

const readyz = async (server: ServerProcess) => {
  const response = await tryFetch(`${server.url}/readyz`, {})
  return (await response?.json()) as { missingRoles: string[]; roles: Record<string, number> }
}

const metric = async (server: ServerProcess, line: string): Promise<string | undefined> => {
  const response = await tryFetch(`${server.url}/metrics`, {})
  return (await response?.text())?.split('\n').find((text) => text.startsWith(line))
}

it('processes with one role each: do everything together, and lose nothing when workers are killed', async () => {
  const receiver = await startReceiver()
  const api = await start('api')
  await registerUsersOf(db)
  // Nobody works: the API answers, and says so. Without an upstream there is nothing to sync.
  await expect.poll(async () => (await readyz(api)).missingRoles).toEqual(['worker'])
  await subscribeToCasts(api.url, receiver.url)
  const casting = startCasting(() => api.url, receiver)
  await expect.poll(() => casting.acknowledged.length).toBeGreaterThan(5)
  await expect.poll(() => metric(api, 'plaza_role_processes{role="worker"}')).toMatch(/ 0$/)
  await expect
    .poll(async () => Number((await metric(api, 'plaza_consumer_lag_blocks'))?.split(' ')[1]))
    .toBeGreaterThan(0)

  const sync = await start('sync')
  let workers = await Promise.all([start('worker'), start('worker')])
  await expect.poll(async () => (await readyz(sync)).roles).toMatchObject({ api: 1, worker: 2, sync: 1 })
  expect((await readyz(sync)).missingRoles).toEqual([])
  for (let round = 0; round < 3; round += 1) {
    const before = receiver.received.length
    await expect.poll(() => receiver.received.length).toBeGreaterThan(before + 12)
    const [dying, living] = workers as [ServerProcess, ServerProcess]
    await kill(dying)
    workers = [living, await start('worker')]
  }
  await casting.stop()
  await expect.poll(() => missingCasts(receiver, casting), { interval: 250 }).toEqual([])
  expect(inconsistentEventsIn(receiver)).toEqual([])
  // What one process does for all was taken over by somebody.
  await expect.poll(() => idleJobs()).toEqual([])
})

/** Names of jobs whose lock nobody holds. */
async function idleJobs(): Promise<string[]> {
  const names = ['event log partitions', 'search lists', 'old deliveries of webhooks', 'scores']
  const rows = await db<{ name: string }[]>`
    select name from unnest(${db.types.texts(names)}::text[]) as name
    where not exists (
      select from pg_locks
      where locktype = 'advisory' and granted
        and database = (select oid from pg_database where datname = current_database())
        and (classid::bigint << 32 | objid::bigint) = hashtextextended('plaza job ' || name, 0)
    )`
  return rows.map(({ name }) => name)
}
