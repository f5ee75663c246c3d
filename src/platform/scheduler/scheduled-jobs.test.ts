import { randomUUID } from 'node:crypto'
import { Registry } from 'prom-client'
import { expect, it } from 'vitest'
import { createTestDatabase } from '../../../test/database.js'
import { PlazaError } from '../errors.js'
import { type Log, silentLog } from '../log/log.js'
import { createJobMetrics } from './job-metrics.js'
import { JobRuns } from './job-runs.js'
import { startScheduledJobs } from './scheduled-jobs.js'

const { db, connect } = await createTestDatabase()
const openLocks = () => connect({ poolSize: 1 })
const locks = openLocks()

it('runs a job at once and repeatedly, continues after a failure, and never overlaps runs', async () => {
  const errors: unknown[] = []
  const log: Log = { ...silentLog, error: (fields) => errors.push(fields) }
  let runs = 0
  let running = 0
  const run = async () => {
    running += 1
    expect(running).toBe(1)
    await new Promise((resolve) => setImmediate(resolve))
    running -= 1
    runs += 1
    if (runs === 2) throw new Error('no')
  }
  const stop = startScheduledJobs([{ name: 'sweep', everyMs: 1, run }], { locks, log })
  await expect.poll(() => runs).toBeGreaterThan(3)
  await stop()
  const atStop = runs
  await new Promise((resolve) => setTimeout(resolve, 10))
  expect([runs, running]).toEqual([atStop, 0])
  expect(errors).toEqual([{ err: new Error('no'), job: 'sweep' }])
})

it('counts failures of a job, and remembers when it last succeeded and failed', async () => {
  const registry = new Registry()
  let nowMs = 1_000_000
  const job = { name: 'sweep', everyMs: 1 }
  const runs = new JobRuns(() => nowMs, createJobMetrics(registry))
  const read = async () => (await registry.metrics()).split('\n').filter((line) => line.startsWith('plaza_'))
  const end = runs.begin(job)
  expect(await read()).toEqual(['plaza_job_failures_total{name="sweep"} 0'])
  end(1)
  nowMs += 60_000
  runs.begin(job)(1, new Error('no'))
  expect(await read()).toEqual([
    'plaza_job_failures_total{name="sweep"} 1',
    'plaza_job_last_success_timestamp_seconds{name="sweep"} 1000',
    'plaza_job_last_failure_timestamp_seconds{name="sweep"} 1060',
  ])
})

it('the duration of a run is that of a clock that nobody sets', async () => {
  const id = randomUUID()
  let nowMs = 1_000_000
  let elapsedMs = 0
  const runs = new JobRuns(
    () => nowMs,
    null,
    () => elapsedMs,
  )
  await db`
    insert into app.processes (id, roles, version, host, pid, connections, alive_until)
    values (${id}, '{worker}', '1', 'host', 1, 1, now() + interval '1 hour')`
  const end = runs.begin({ name: 'sweep', everyMs: 1 })
  nowMs -= 3_600_000
  elapsedMs += 25
  end(1)
  await runs.flush(db, id)
  expect(await db`select duration_ms from app.job_runs where process_id = ${id}`).toEqual([
    { duration_ms: 25 },
  ])
})

it('writes all runs again after another process has taken this one for dead', async () => {
  const id = randomUUID()
  const runs = new JobRuns(() => 1_000_000)
  const register = () => db`
    insert into app.processes (id, roles, version, host, pid, connections, alive_until)
    values (${id}, '{worker}', '1', 'host', 1, 1, now() + interval '1 hour')`
  const stored = async () =>
    (await db`select name from app.job_runs where process_id = ${id} order by name`).map(({ name }) => name)
  const daily = { name: 'daily', everyMs: 86_400_000 }
  const often = { name: 'often', everyMs: 1 }
  await register()
  for (const job of [daily, often]) runs.begin(job)(1)
  await runs.flush(db, id)
  expect(await stored()).toEqual(['daily', 'often'])
  await db`delete from app.processes where id = ${id}`
  runs.begin(often)(1)
  await runs.flush(db, id)
  await register()
  await runs.flush(db, id)
  expect(await stored()).toEqual(['daily', 'often'])
})

it('a job that another part of the server refuses: waits for its next run, as after any failure', async () => {
  const lines: unknown[] = []
  const note = (fields: object) => lines.push(fields)
  const busy = new PlazaError('unavailable', 'the AI requests of this day are used up')
  const job = { name: 'topics', everyMs: 3_600_000, run: () => Promise.reject(busy) }
  const stop = startScheduledJobs([job], { locks, log: { ...silentLog, error: note, warn: note } })
  await expect.poll(() => lines).toEqual([{ err: busy, job: 'topics' }])
  await stop()
})

it('a job whose statement takes too long: waits for its next run, too', async () => {
  const lines: unknown[] = []
  const note = (fields: object) => lines.push(fields)
  const run = async () => {
    await locks.begin(async (transaction) => {
      await transaction`set local statement_timeout to '10ms'`
      await transaction`select pg_sleep(10)`
    })
  }
  const job = { name: 'importer', everyMs: 3_600_000, perProcess: true, run }
  const stop = startScheduledJobs([job], { locks, log: { ...silentLog, error: note, warn: note } })
  await expect
    .poll(() => lines)
    .toEqual([{ err: expect.objectContaining({ code: '57014' }), job: 'importer' }])
  await stop()
})

it('a database that is away: a job says so once, and once that it is back', async () => {
  const lines: string[] = []
  const note = (_fields: object, text: string) => lines.push(text)
  const log: Log = { ...silentLog, error: note, warn: note, info: note }
  const away = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
  const states = ['away', 'away', 'away', 'back', 'back', 'away', 'failing', 'back']
  const run = async () => {
    const state = states.shift()
    if (state === 'away') throw away
    if (state === 'failing') throw new Error('no')
  }
  const job = { name: 'sweep', everyMs: 1, perProcess: true, run }
  const stop = startScheduledJobs([job], { locks, log })
  await expect.poll(() => states).toEqual([])
  await stop()
  const waits = 'a scheduled job waits for the database'
  const goesOn = 'a scheduled job no longer waits for the database'
  expect(lines).toEqual([waits, goesOn, waits, 'a scheduled job failed'])
})

it('stops at once between two runs, and waits for a current run', async () => {
  let finish = () => {}
  const under = new Promise<void>((resolve) => {
    finish = resolve
  })
  let isRunning = false
  const run = () => {
    isRunning = true
    return under
  }
  const hour = 3_600_000
  const stop = startScheduledJobs(
    [
      { name: 'idle', everyMs: hour, run: async () => {} },
      { name: 'long', everyMs: hour, run },
    ],
    { locks, log: silentLog },
  )
  await expect.poll(() => isRunning).toBe(true)
  let stopped = false
  const stopping = stop().then(() => {
    stopped = true
  })
  // Behind the unlocking of a stop that waits for nobody: the pool has one connection.
  await locks`select 1`
  await new Promise((resolve) => setImmediate(resolve))
  expect(stopped).toBe(false)
  finish()
  await stopping
})

it('a job that is cancelled as it stops: no failure', async () => {
  const lines: unknown[] = []
  const note = (fields: object) => lines.push(fields)
  let cancel = (_reason: Error) => {}
  const under = new Promise((_resolve, reject) => {
    cancel = reject
  })
  const stop = startScheduledJobs([{ name: 'long', everyMs: 1, perProcess: true, run: () => under }], {
    locks,
    log: { ...silentLog, error: note, warn: note },
  })
  const stopped = stop()
  cancel(new Error('cancelled'))
  await stopped
  expect(lines).toEqual([])
})

it('a job: one process does it, and another takes over when that one is gone', async () => {
  const runs: string[] = []
  const start = (name: string, processLocks: typeof locks) =>
    startScheduledJobs([{ name: 'shared', everyMs: 1, run: async () => runs.push(name) }], {
      locks: processLocks,
      log: silentLog,
    })
  const [first, second] = [openLocks(), openLocks()]
  const stopFirst = start('first', first)
  await expect.poll(() => runs.length).toBeGreaterThan(2)
  const stopSecond = start('second', second)
  await expect.poll(() => runs.length).toBeGreaterThan(20)
  expect(new Set(runs)).toEqual(new Set(['first']))

  await stopFirst()
  await expect.poll(() => runs.at(-1)).toBe('second')
  await stopSecond()
})

it('a job of every process: runs in each', async () => {
  const runs: string[] = []
  const stops = ['first', 'second'].map((name) =>
    startScheduledJobs(
      [{ name: 'own', everyMs: 3_600_000, perProcess: true, run: async () => runs.push(name) }],
      { locks: openLocks(), log: silentLog },
    ),
  )
  await expect.poll(() => runs.length).toBe(2)
  await Promise.all(stops.map((stop) => stop()))
  expect(new Set(runs)).toEqual(new Set(['first', 'second']))
})
