import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { builtCli } from '../../../test/built-cli.js'
import { createTestDatabase } from '../../../test/database.js'
import type { Log } from '../../platform/log/log.js'
import {
  areScoresDue,
  createScoreSchedule,
  type ScoreScheduleOptions,
  startScoreThread,
} from './score-schedule.js'
import { storeFollows, storeUsers } from './testing/stored-network.js'

const { db, url } = await createTestDatabase()
const HOUR_MS = 3_600_000
let workerUrl: URL
let logged: string[]

/** The worker thread runs compiled JavaScript. */
beforeAll(async () => {
  workerUrl = pathToFileURL(join(await builtCli(), '../features/score/score-worker.js'))
})

beforeEach(async () => {
  logged = []
  await db`truncate social.users, social.follows, social.reactions, score.runs`
})

function schedule(changes: Partial<ScoreScheduleOptions> = {}) {
  const write = (_fields: object, message: string) => void logged.push(message)
  const log: Log = { debug: write, info: write, warn: write, error: write }
  return createScoreSchedule({
    db,
    url,
    seeds: [],
    intervalHours: 24,
    clock: Date.now,
    log,
    workerUrl,
    ...changes,
  })
}

async function addRun(finishedMs: number): Promise<void> {
  await db`
    insert into score.runs (started_at, finished_at, users, edges, changed)
    values (${finishedMs - 1}::bigint, ${finishedMs}::bigint, 1, 1, 1)
  `
}

test('score job: computes once in a thread and logs unknown seeds', async () => {
  await storeUsers(db, [1, 2], [0, 0])
  await storeFollows(db, [[1, 2, 0]])
  const scores = schedule({ seeds: [1, 99] })
  await scores.run()
  await scores.run()
  expect(logged).toEqual(['scores computed', 'SCORE_SEEDS names unknown accounts'])
  const [counts] =
    await db`select count(score) as scored, (select count(*) from score.runs) as runs from social.users`
  expect(counts).toEqual({ scored: 2, runs: 1 })
})

test('score job: runs as soon as there is somebody to score', async () => {
  const scores = schedule()
  await scores.run()
  expect(logged).toEqual([])
  await storeUsers(db, [1, 2], [0, 0])
  await scores.run()
  expect(logged).toEqual(['scores computed'])
})

test('score job: a computation that failed, also the first one, is repeated after a quarter of an hour', async () => {
  await storeUsers(db, [1, 2], [0, 0])
  let now = Date.now()
  const scores = schedule({ clock: () => now })
  await db`alter table social.reactions rename to reactions_away`
  try {
    await expect(scores.run()).rejects.toThrow('social.reactions')
  } finally {
    await db`alter table social.reactions_away rename to reactions`
  }
  now += HOUR_MS / 4 - 1
  expect(scores.isResting()).toBe(true)
  now += 1
  expect(scores.isResting()).toBe(false)
  await scores.run()
  expect(logged).toEqual(['scores computed'])
})

test('score job: a computation that failed is repeated also when the clock has gone back', async () => {
  await storeUsers(db, [1, 2], [0, 0])
  let now = Date.now()
  const scores = schedule({ clock: () => now })
  await db`alter table social.reactions rename to reactions_away`
  try {
    await expect(scores.run()).rejects.toThrow('social.reactions')
  } finally {
    await db`alter table social.reactions_away rename to reactions`
  }
  now -= HOUR_MS
  expect(scores.isResting()).toBe(false)
  await scores.run()
  expect(logged).toEqual(['scores computed'])
})

test('areScoresDue: when old, or when one account in ten has none', async () => {
  const due = (intervalHours = 24) => areScoresDue({ db, intervalHours, clock: () => 100 * HOUR_MS })
  expect(await due()).toBe(false)
  await storeUsers(
    db,
    Array.from({ length: 20 }, (_, number) => number + 1),
    new Array(20).fill(0),
  )
  expect(await due()).toBe(true)
  await db`update social.users set score = 0.5 where fid > 2`
  await addRun(80 * HOUR_MS)
  expect(await due()).toBe(false)
  expect(await due(20)).toBe(true)
  // The clock has gone back since.
  await addRun(200 * HOUR_MS)
  expect(await due()).toBe(true)
  await addRun(90 * HOUR_MS)
  expect(await due()).toBe(false)
  await db`update social.users set score = null where fid = 3`
  expect(await due()).toBe(true)
})

test('createScoreSchedule: interval 0 never computes', async () => {
  await storeUsers(db, [1], [0])
  await schedule({ intervalHours: 0 }).run()
  expect(logged).toEqual([])
  expect(await db`select 1 from score.runs`).toEqual([])
})

test('stop: aborts the computation without an error', async () => {
  await storeUsers(db, [1, 2], [0, 0])
  const scores = schedule()
  await db.begin(async (holder) => {
    await holder`lock table social.reactions in access exclusive mode`
    const running = scores.run()
    await expect
      .poll(
        () =>
          db`
            select 1 from pg_stat_activity
            where datname = current_database() and application_name = 'plaza score' and wait_event_type = 'Lock'`,
      )
      .toHaveLength(1)
    await scores.stop()
    await running
  })
  await scores.run()
  expect(logged).toEqual([])
})

test("startScoreThread: rejects with the thread's error", async () => {
  await db`alter table social.reactions rename to reactions_away`
  try {
    await expect(startScoreThread({ url, seeds: [] }, workerUrl).done).rejects.toThrow('social.reactions')
  } finally {
    await db`alter table social.reactions_away rename to reactions`
  }
})
