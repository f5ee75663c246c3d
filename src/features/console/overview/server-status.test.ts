import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { createTestDatabase } from '../../../../test/database.js'
import type { Database } from '../../../platform/db/connection.js'
import { migrationState } from '../../../platform/db/migrate.js'
import { readServerStatus } from './server-status.js'

async function addProcess(db: Database, ...roles: string[]): Promise<string> {
  const id = randomUUID()
  await db`
    insert into app.processes (id, roles, version, host, pid, alive_until)
    values (${id}, ${db.types.texts(roles)}::text[], '1', 'here', 1, now() + interval '1 minute')
  `
  return id
}

it('the status: processes, consumers, queues, sync and sizes, and which roles are missing', async () => {
  const { db } = await createTestDatabase()
  const read = () => readServerStatus(db, Date.now)
  expect(await read()).toMatchObject({
    object: 'server_status',
    ready: false,
    problems: ['no process of the server is running'],
    sync: null,
  })
  await addProcess(db, 'api', 'sync')
  await db`insert into hub.shards (shard, height) values (1, 8) on conflict (shard) do update set height = 8`
  await db`insert into hub.consumers (name, shard, next_id) values ('webhooks', 1, 0)`
  await db`
    insert into sync.cursors (upstream, shard, next_id, block_time) values ('hub:1', 1, 1, 1000)
  `
  await db`insert into sync.fids (fid) values (5)`
  await db.begin(async (transaction) => {
    // Without a campaign and its app.
    await transaction`set local session_replication_role = replica`
    await transaction`
      insert into miniapps.batches (campaign_id, campaign_seq, app_id, client_fid, host, turn, fids)
      values (${randomUUID()}, 1, ${randomUUID()}, 1, 'a.example', 1, '{7,8}')
    `
  })
  const status = await read()
  expect(status).toMatchObject({
    ready: false,
    problems: ['no process has the role worker'],
    migrations: { pending: [], newer: [] },
    processes: [{ object: 'process', roles: ['api', 'sync'], host: 'here' }],
    consumers: [{ object: 'consumer', name: 'webhooks', shard: 1, blocks_behind: 8 }],
    queues: [
      ...['waiting', 'retrying', 'sending'].map((state) => ({ name: 'webhook deliveries', state, count: 0 })),
      { object: 'queue', name: 'notification tokens', state: 'waiting', count: 2 },
    ],
    sync: {
      shards: [{ object: 'synced_shard', upstream: 'hub:1', shard: 1, behind_seconds: expect.any(Number) }],
      backfill: { fetched: 0, remaining: 1, seconds_left: null },
      seconds_left: null,
    },
    database: { version: expect.stringMatching(/^\d+/), growth_bytes_per_day: null },
  })
  expect(status.database!.bytes).toBeGreaterThan(1_000_000)
  expect(status.database!.tables).toContainEqual({
    object: 'table_size',
    name: expect.any(String),
    bytes: expect.any(Number),
    rows: expect.any(Number),
  })
  await addProcess(db, 'worker')
  expect(await read()).toMatchObject({ ready: true, problems: [] })
})

it('migrations that are pending: one by its name, several by the first', async () => {
  const { db } = await createTestDatabase()
  for (const role of ['api', 'worker', 'sync']) await addProcess(db, role)
  const forget = async () => {
    await db`delete from schema_migrations where id = (select max(id) from schema_migrations)`
    return (await migrationState(db)).pending
  }
  const read = () => readServerStatus(db, Date.now)
  const [last] = await forget()
  expect(await read()).toMatchObject({
    ready: false,
    problems: [`the migration ${last} is not applied`],
    migrations: { pending: [last] },
  })
  const [first] = await forget()
  expect(await read()).toMatchObject({
    problems: [`2 migrations are not applied, the first is ${first}`],
    migrations: { pending: [first, last], newer: [] },
  })
})

it('a role without work is not missing', async () => {
  const { db } = await createTestDatabase()
  await addProcess(db, 'api', 'worker')
  expect(await readServerStatus(db, Date.now, { idleRoles: new Set(['sync']) })).toMatchObject({
    ready: true,
    problems: [],
  })
  expect(await readServerStatus(db, Date.now)).toMatchObject({
    ready: false,
    problems: ['no process has the role sync'],
  })
  // It had work before, maybe of processes with other variables.
  await db`insert into sync.cursors (upstream, shard, next_id, block_time) values ('hub:1', 1, 1, 1000)`
  expect(await readServerStatus(db, Date.now, { idleRoles: new Set(['sync']) })).toMatchObject({
    ready: false,
    problems: ['no process has the role sync'],
  })
})

it('the sync: that of the configured upstreams, and which are never reached while none is', async () => {
  const { db } = await createTestDatabase()
  const read = async (...upstreams: string[]) => {
    const { sync, unreached_upstreams: unreached } = await readServerStatus(db, Date.now, { upstreams })
    return { synced: sync?.shards.map(({ upstream }) => upstream), unreached }
  }
  expect(await read('hub:1', 'hub:2')).toEqual({ synced: undefined, unreached: ['hub:1', 'hub:2'] })
  await db`insert into sync.cursors (upstream, shard, next_id, block_time) values ('hub:1', 1, 1, 1000)`
  expect(await read('hub:1', 'hub:2')).toEqual({ synced: ['hub:1'], unreached: [] })
  expect(await read('hub:2')).toEqual({ synced: undefined, unreached: ['hub:2'] })
  expect(await read()).toEqual({ synced: ['hub:1'], unreached: [] })
})

it('jobs that fail: those whose newest run failed, of one job for all in any process', async () => {
  const { db } = await createTestDatabase()
  const [first, second] = [await addProcess(db, 'worker'), await addProcess(db, 'worker')]
  const addRun = (process: string, name: string, started: number, failed: number | null, isOwn = false) => db`
    insert into app.job_runs (process_id, name, every_ms, per_process, runs, failures, started_at, error, failed_at)
    values (
      ${process}, ${name}, 1000, ${isOwn}, 2, 1, to_timestamp(${started}::float8),
      ${failed === null ? null : `${name} cannot be`}, to_timestamp(${failed}::float8)
    )`
  await addRun(first, 'topics', 10, 11)
  await addRun(second, 'topics', 20, null)
  await addRun(first, 'scores', 10, null)
  await addRun(second, 'scores', 20, 20)
  await addRun(first, 'measures', 10, 12, true)
  await addRun(second, 'measures', 20, 5, true)
  expect((await readServerStatus(db, Date.now)).failing_jobs).toEqual([
    {
      object: 'failing_job',
      name: 'measures',
      failed_at: '1970-01-01T00:00:12.000Z',
      error: 'measures cannot be',
    },
    {
      object: 'failing_job',
      name: 'scores',
      failed_at: '1970-01-01T00:00:20.000Z',
      error: 'scores cannot be',
    },
  ])
})

it('an empty database: every migration is pending, and there are no details', async () => {
  const { db } = await createTestDatabase({ migrated: false })
  const { problems, migrations, ...details } = await readServerStatus(db, Date.now)
  expect(problems).toEqual([
    expect.stringMatching(/^\d+ migrations are not applied, the first is 0001/),
    'no process of the server is running',
  ])
  expect(migrations.pending.length).toBeGreaterThan(10)
  expect(details).toEqual({
    object: 'server_status',
    ready: false,
    processes: [],
    consumers: [],
    queues: [],
    sync: null,
    unreached_upstreams: [],
    failing_jobs: [],
    unsigned_webhooks: 0,
    unpublished: { count: 0, since: null },
    database: null,
  })
})
