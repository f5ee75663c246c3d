import { beforeAll, expect, test } from 'vitest'
import { createTestDatabase } from '../../../test/database.js'
import { TestUser, testNow, testNowUnix } from '../../../test/network.js'
import { ensurePartitions } from '../../hub/log/partitions.js'
import { mergeBatch } from '../../hub/merge/merge.js'
import type { Database } from '../../platform/db/connection.js'
import { projectEvents } from './project.js'
import { replay } from './replay.js'
import { readModel } from './testing/read-model.js'
import { createGate, holdIndexBuild } from './testing/transaction-locks.js'

const { db, connect } = await createTestDatabase({ poolSize: 4 })
const other = connect({ poolSize: 3 })
const LOST = 'the connection with the lock of the replay was lost'
let merged: Awaited<ReturnType<typeof readModel>>

beforeAll(async () => {
  const user = new TestUser(1)
  await ensurePartitions(db, testNowUnix * 1000)
  await db`insert into hub.shards (shard) values (1)`
  const root = user.cast('root', testNow - 100)
  const reply = (n: number) =>
    user.cast(`reply ${n}`, testNow - 90 + n, { parentCastId: { fid: 1, hash: root.hash } })
  const messages = [root, ...Array.from({ length: 20 }, (_, n) => reply(n))]
  const settings = { shards: 1, hooks: [projectEvents] }
  for (const batch of [
    { chainEvents: user.onChain(), messages: [], nameTransfers: [] },
    { chainEvents: [], messages, nameTransfers: [] },
  ])
    await mergeBatch(db, 1, batch, settings, testNowUnix * 1000)
  merged = await readModel(db)
})

/** Ends the connection that holds the lock of the replay, and no other. */
async function endLockSession(): Promise<void> {
  const ended = await db`
    select pg_terminate_backend(pid, 60000)
    from pg_locks
    where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())
      and objid = (hashtext('plaza replay')::bigint & 4294967295)::oid
  `
  expect(ended).toHaveLength(1)
}

/** Starts a replay that waits before the transaction after its first page. */
function startPausedReplay(pool: Database) {
  const [page, resumed] = [createGate(), createGate()]
  let isPaused = false
  const begin = async (...parameters: unknown[]): Promise<unknown> => {
    if (isPaused) await resumed.opened
    return await Reflect.apply(pool.begin, pool, parameters)
  }
  const pausing = new Proxy(pool, {
    get: (target, name) => (name === 'begin' ? begin : Reflect.get(target, name)),
  })
  const onProgress = () => {
    isPaused = true
    page.open()
  }
  const running = replay(pausing, { shards: 1, pageRows: 3, onProgress })
  running.catch(() => {})
  return { running, paused: Promise.race([page.opened, running]), resume: () => resumed.open() }
}

test('a replay that has lost its lock ends, and does nothing to the one that began since', async () => {
  const lost = startPausedReplay(db)
  await lost.paused
  await endLockSession()
  const next = startPausedReplay(other)
  await next.paused
  lost.resume()
  await expect(lost.running).rejects.toThrow(LOST)
  next.resume()
  await next.running
  expect(await readModel(db)).toEqual(merged)
})

test('a replay does not begin beside the last step of one that has lost its lock', async () => {
  let lost: Promise<void> | undefined
  const casts = await holdIndexBuild(db, other, () => {
    lost = expect(replay(db, { shards: 1 })).rejects.toThrow(LOST)
  })
  await endLockSession()
  await expect(replay(other, { shards: 1 })).rejects.toThrow('another replay is running')
  await casts.release()
  await lost
  await replay(db, { shards: 1 })
  expect(await readModel(db)).toEqual(merged)
})
