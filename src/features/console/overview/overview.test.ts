import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { createTestDatabase } from '../../../../test/database.js'
import { createTestHub } from '../../../../test/hub.js'
import { createTestApi } from '../../../app/testing/test-api.js'
import type { Hub } from '../../../hub/hub.js'
import { ensurePartitions } from '../../../hub/log/partitions.js'
import { migrationState } from '../../../platform/db/migrate.js'
import { ErrorJournal, journaled } from '../../../platform/log/error-journal.js'
import { silentLog } from '../../../platform/log/log.js'
import { parseRoles, type Role } from '../../../platform/process/roles.js'
import { ActivityHistory, readActivity } from './activity.js'
import { saveMeasures } from './measures.js'
import { createServerMonitor } from './monitor.js'
import { sampleDatabaseSize } from './sizes.js'
import { SyncWatch } from './sync-progress.js'

const adminToken = 'the-admin-token-of-the-tests-0123456789'
const MINUTE_MS = 60_000

async function open({
  processId = null,
  idleRoles = new Set(),
  ...options
}: {
  processId?: string | null
  idleRoles?: ReadonlySet<Role>
  hub?: Hub
} = {}) {
  const { db } = await createTestDatabase()
  const clock = Date.now
  const monitor = createServerMonitor({ db, clock, processId, idleRoles })
  const { app } = await createTestApi({ db, adminToken, monitor, clock, ...options })
  const ask = async () =>
    (await app.inject({ url: '/admin/overview', headers: { authorization: `Bearer ${adminToken}` } })).json()
  return { db, monitor, ask }
}

describe('the overview', () => {
  it('has the operations and failures of all live processes', async () => {
    const { db, monitor, ask } = await open()
    const now = Date.now()
    monitor.errors.note('a scheduled job failed: score', 'here')
    for (const aliveSeconds of [60, 60, -60]) {
      const id = randomUUID()
      await db`
        insert into app.processes (id, roles, version, host, pid, alive_until)
        values (${id}, '{worker}', '1', 'other', 1, now() + ${aliveSeconds} * interval '1 second')
      `
      await saveMeasures(db, id, {
        operations: [
          {
            operation: 'GET /v2/x',
            requests: 100,
            failures: 1,
            buckets: [
              [0.01, 50],
              [0.1, 100],
              [null, 100],
            ],
          },
        ],
        errors: {
          counts: [{ kind: 'a scheduled job failed: score', count: 2 }],
          recent: [{ atMs: now - 1_000, kind: 'a scheduled job failed: score', message: 'a\0\ud800b' }],
        },
      })
    }
    const { operations, errors, processes } = await ask()
    expect(processes.length).toBe(2)
    expect(operations).toContainEqual({
      object: 'operation_times',
      operation: 'GET /v2/x',
      requests: 200,
      failures: 2,
      p50_ms: 10,
      p99_ms: expect.closeTo(98.2),
    })
    expect(errors.last_hour).toEqual([
      { object: 'error_count', kind: 'a scheduled job failed: score', count: 5 },
    ])
    expect(errors.recent.map(({ message }: { message: string }) => message)).toEqual([
      'here',
      'a\ufffd\ufffdb',
      'a\ufffd\ufffdb',
    ])
  })

  it('has the growth of the database and its largest tables', async () => {
    const { db, ask } = await open()
    await ensurePartitions(db, Date.now())
    await db`
      insert into hub.events (day, shard, id, type, event)
      select (now() at time zone 'utc')::date, 1, n, 1, '' from generate_series(1, 5000) n
    `
    await db`
      insert into app.database_sizes (at, bytes)
      select now() - interval '2 days', pg_database_size(current_database()) - 8000000
    `
    await db`insert into app.database_sizes (at, bytes) values (now() - interval '91 days', 5)`
    await sampleDatabaseSize(db)
    await sampleDatabaseSize(db)
    const { database, sync } = await ask()
    expect(Math.round(database.growth_bytes_per_day / 1e6)).toBe(4)
    expect(database.history.length).toBe(2)
    expect(database.tables.map(({ name }: { name: string }) => name)).toContain('hub.events')
    expect(sync).toBeNull()
  })

  it('has the rates of the last hour', async () => {
    const { monitor, ask } = await open()
    expect((await ask()).activity).toMatchObject({ until: null, messages_per_second: [] })
    monitor.activity.add(0, { messages: 100, events: 1_000 })
    monitor.activity.add(10_000, { messages: 150, events: 1_100 })
    expect((await ask()).activity).toMatchObject({ messages_per_second: [5], events_per_second: [10] })
  })
})

describe('the overview of a server', () => {
  it('is not ready while more than 10,000 messages wait for the log', async () => {
    const { db } = await createTestDatabase()
    const hub = await createTestHub(db)
    let queued = 10_000
    const { ask } = await open({ hub: { ...hub, queued: () => queued } })
    expect((await ask()).ready).toBe(true)
    queued = 10_001
    const { ready, problems } = await ask()
    expect([ready, problems[0]]).toEqual([false, '10001 messages wait for the event log'])
  })

  it('names the roles that no process has, but for those without work', async () => {
    const { db, ask } = await open({ idleRoles: parseRoles('sync') })
    await db`
      insert into app.processes (id, roles, version, host, pid, alive_until)
      values (${randomUUID()}, '{api}', '1', 'other', 1, now() + interval '1 minute')
    `
    expect((await ask()).problems).toEqual(['no process has the role worker'])
  })

  it('is not ready without a migration, and says which', async () => {
    const { db, ask } = await open()
    await db`delete from schema_migrations where id = (select max(id) from schema_migrations)`
    const { ready, problems } = await ask()
    const [name] = (await migrationState(db)).pending
    expect([ready, problems[0]]).toEqual([false, `the migration ${name} is not applied`])
  })

  it('counts its own failures once, most frequent first, and has the last 20', async () => {
    const processId = randomUUID()
    const { db, monitor, ask } = await open({ processId })
    await db`
      insert into app.processes (id, roles, version, host, pid, alive_until)
      values (${processId}, '{api}', '1', 'here', 1, now() + interval '1 minute')
    `
    for (let number = 0; number < 21; number += 1) {
      monitor.errors.note(number < 8 ? 'rare' : 'frequent', `failure ${number}`)
    }
    await saveMeasures(db, processId, { operations: [], errors: monitor.errors.read() })
    const { errors, processes } = await ask()
    expect(processes).toMatchObject([{ id: processId, roles: ['api'] }])
    expect(errors.last_hour.map(({ count }: { count: number }) => count)).toEqual([13, 8])
    expect(errors.recent).toHaveLength(20)
    expect(errors.recent[0]).toEqual({
      object: 'recent_error',
      at: expect.any(String),
      kind: 'frequent',
      message: 'failure 20',
    })
  })

  it('has the failures of several processes in the order of time', async () => {
    const { db, monitor, ask } = await open()
    const now = Date.now()
    monitor.errors.note('rare', 'now')
    const others = [
      [now - 2_000, 'rare', 1],
      [now - 1_000, 'frequent', 5],
      [now - 3_000, 'rare', 1],
    ] as const
    for (const [atMs, kind, count] of others) {
      const id = randomUUID()
      await db`
        insert into app.processes (id, roles, version, host, pid, alive_until)
        values (${id}, '{worker}', '1', 'other', 1, now() + interval '1 minute')
      `
      const recent = [{ atMs, kind, message: `${now - atMs} ms ago`, traceId: `trace ${count}` }]
      const errors = { counts: [{ kind, count }], recent }
      await saveMeasures(db, id, { operations: [], errors })
    }
    const { errors } = await ask()
    expect(errors.last_hour).toMatchObject([
      { kind: 'frequent', count: 5 },
      { kind: 'rare', count: 3 },
    ])
    expect(errors.recent.map(({ message }: { message: string }) => message)).toEqual([
      'now',
      '1000 ms ago',
      '2000 ms ago',
      '3000 ms ago',
    ])
    expect(errors.recent[1]).toMatchObject({ trace_id: 'trace 5' })
  })

  it('has consumers that are behind, the sync, and counters', async () => {
    const { db, ask } = await open()
    await db`insert into hub.shards (shard, height) values (1, 8) on conflict (shard) do update set height = 8`
    await db`insert into hub.consumers (name, shard, next_id) values ('webhooks', 1, 0)`
    await db`insert into sync.fids (fid) values (5)`
    expect(await ask()).toMatchObject({
      at: expect.stringMatching(/Z$/),
      consumers: [{ object: 'consumer', name: 'webhooks', shard: 1, blocks_behind: 8 }],
      queues: [{ object: 'queue', name: 'webhook deliveries', state: 'waiting', count: 0 }, {}, {}],
      sync: { shards: [], backfill: { fetched: 0, remaining: 1 } },
      counters: { messages: expect.any(Number), casts: expect.any(Number), users: expect.any(Number) },
      activity: { object: 'activity', every_seconds: 10 },
      database: { growth_bytes_per_day: null },
    })
  })
})

describe('the rates', () => {
  it('have a decimal, and the time of the last sample', async () => {
    const { monitor, ask } = await open()
    monitor.activity.add(1_000, { messages: 0, events: 0 })
    monitor.activity.add(31_000, { messages: 5, events: 100 })
    expect((await ask()).activity).toMatchObject({
      until: '1970-01-01T00:00:31.000Z',
      messages_per_second: [0.2, 0.2, 0.2],
      events_per_second: [3.3, 3.3, 3.3],
    })
  })

  it('come from the counters of PostgreSQL', async () => {
    const { db } = await createTestDatabase()
    const before = await readActivity(db)
    await ensurePartitions(db, Date.now())
    await db`
      insert into hub.events (day, shard, id, type, event)
      select (now() at time zone 'utc')::date, 1, n, 1, '' from generate_series(1, 50) n
    `
    await expect.poll(async () => (await readActivity(db)).events - before.events).toBe(50)
  })

  it('are those of an hour, and never below 0', () => {
    const history = new ActivityHistory()
    for (let sample = 0; sample < 1_000; sample += 1) {
      history.add(sample * 10_000, { messages: sample * 10, events: sample === 999 ? 0 : 5 })
    }
    const { messagesPerSecond, eventsPerSecond } = history.read()
    expect([messagesPerSecond.length, eventsPerSecond.at(-1), messagesPerSecond.at(-1)]).toEqual([360, 0, 1])
  })

  it('keep their times when a sample comes late', () => {
    const history = new ActivityHistory()
    for (const [atMs, messages] of [
      [0, 0],
      [10_000, 50],
      // After an outage of twenty minutes.
      [1_210_000, 1_250],
      [1_220_000, 1_280],
    ] as const) {
      history.add(atMs, { messages, events: 0 })
    }
    expect(history.read()).toEqual({
      untilMs: 1_220_000,
      messagesPerSecond: [5, ...Array<number>(120).fill(1), 3],
      eventsPerSecond: Array<number>(122).fill(0),
    })
    history.add(100_000_000, { messages: 1_280, events: 0 })
    expect(history.read().messagesPerSecond).toEqual(Array<number>(360).fill(0))
  })
})

describe('the progress of the sync', () => {
  it('has the time that is left at its pace', async () => {
    const { db } = await createTestDatabase()
    let nowMs = 1_793_491_200_000
    const farcaster = () => Math.floor(nowMs / 1000) - 1_609_459_200
    const watch = new SyncWatch(db, () => nowMs)
    expect(await watch.read()).toBeNull()
    await db`insert into sync.cursors values ('hub:1', 1, 1, ${farcaster() - 3_600}), ('hub:1', 2, 1, ${farcaster() - 60})`
    await db`insert into sync.fids (fid, backfilled_at) select n, case when n <= 100 then now() - n * interval '3 seconds' end from generate_series(1, 400) n`
    expect(await watch.read()).toMatchObject({
      shards: [{ behindSeconds: 3_600 }, { behindSeconds: 60 }],
      backfill: { fetched: 100, remaining: 300, secondsLeft: expect.closeTo(900, -2) },
      secondsLeft: null,
    })
    nowMs += MINUTE_MS
    await db`update sync.cursors set block_time = ${farcaster() - 1_800} where shard = 1`
    expect(await watch.read()).toMatchObject({ secondsLeft: 60 })
    await db`update sync.cursors set block_time = ${farcaster()}`
    expect(await watch.read()).toMatchObject({ secondsLeft: 0 })
  })
})

describe('the journal of errors', () => {
  it('counts the last hour, and is bounded', () => {
    let nowMs = 1_000 * MINUTE_MS
    const journal = new ErrorJournal(() => nowMs)
    for (let index = 0; index < 200; index += 1) journal.note(`kind ${index}`, 'x')
    expect(journal.read().counts.length).toBe(61)
    expect(journal.read().counts[0]).toEqual({ kind: 'others', count: 140 })
    expect(journal.read().recent.length).toBe(20)
    nowMs += 30 * MINUTE_MS
    journal.note('kind 1', 'y')
    nowMs += 40 * MINUTE_MS
    expect(journal.read()).toMatchObject({
      counts: [{ kind: 'kind 1', count: 1 }],
      recent: [{ message: 'y' }],
    })
    nowMs += 60 * MINUTE_MS
    expect(journal.read()).toEqual({ counts: [], recent: [] })
  })

  it.each([
    ['connect to postgres://user:hunter2@db/plaza failed', 'hunter2'],
    ['GET https://hub.example/v1?api_key=4711 failed', '4711'],
    [`key 0x${'ab'.repeat(32)} is unknown`, 'abab'],
    ['invalid input syntax for type uuid: "correct horse battery"', 'horse'],
    ['Bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N', 'dozjg'],
  ])('leaves out what may be secret: %s', (message, secret) => {
    const journal = new ErrorJournal(Date.now)
    journaled(silentLog, journal).error({ err: new Error(message), job: 'score' }, 'a scheduled job failed')
    const { counts, recent } = journal.read()
    expect(counts).toEqual([{ kind: 'a scheduled job failed: score', count: 1 }])
    expect(recent[0]!.message).not.toContain(secret)
    expect(recent[0]!.message).toContain('…')
  })
})
