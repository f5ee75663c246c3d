import { once } from 'node:events'
import { createServer } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { createTestDatabase } from '../../../test/database.js'
import { createRecordingLog } from '../../../test/sync/test-sync.js'
import { migrationState } from './migrate.js'
import { openServerDatabase } from './open-database.js'

const { db, url, connect } = await createTestDatabase({ migrated: false })

it('a migration gives up a lock that another transaction holds, says so, and runs when it is free or ends when it is told to', async () => {
  const reader = connect({ poolSize: 1 })
  const log = createRecordingLog()
  const config = { dataDir: '', databaseUrl: url, databasePool: 1, hubShards: 1 }
  let opening: ReturnType<typeof openServerDatabase> | undefined
  await reader.begin(async (transaction) => {
    // What the first migration creates.
    await transaction`create schema hub`
    const stopping = new AbortController()
    const stopped = openServerDatabase(
      config,
      { ...log, warn: () => stopping.abort(new Error('stopped')) },
      { signal: stopping.signal },
    )
    await expect(stopped).rejects.toThrow('stopped')
    opening = openServerDatabase(config, log)
    await expect
      .poll(() => log.lines.map(({ message }) => message))
      .toContainEqual(expect.stringContaining('a migration waits for a lock'))
    // Other processes that start do not try meanwhile, and nothing queues behind this one.
    const locks = await db`
      select locktype, granted from pg_locks
      where database = (select oid from pg_database where datname = current_database())
        and (locktype = 'advisory' or not granted)`
    expect(locks).toEqual([{ locktype: 'advisory', granted: true }])
    await transaction`drop schema hub`
  })
  await (await opening)?.close()
  expect(await migrationState(db)).toEqual({ pending: [], unknown: [] })
})

it('a start ends when it is told to while another process migrates', async () => {
  const other = connect({ poolSize: 1 })
  const log = createRecordingLog()
  const stopping = new AbortController()
  const config = { dataDir: '', databaseUrl: url, databasePool: 1, hubShards: 1 }
  await other.begin(async (transaction) => {
    await transaction`select pg_advisory_xact_lock(${0x706c617a61}::bigint)`
    const opening = openServerDatabase(config, log, { signal: stopping.signal }).catch(
      (error: unknown) => error,
    )
    await expect
      .poll(() => log.lines.map(({ message }) => message))
      .toContainEqual('waiting for another process that migrates the database')
    stopping.abort(new Error('stopped'))
    expect(await opening).toEqual(new Error('stopped'))
  })
})

it('a server that is told to stop while a database does not answer -> the reason of its signal', async () => {
  const stopping = new AbortController()
  const silent = createServer(() => stopping.abort(new Error('stopped'))).listen(0, '127.0.0.1')
  onTestFinished(() => void silent.close())
  await once(silent, 'listening')
  const { port } = silent.address() as { port: number }
  const config = {
    dataDir: '',
    databaseUrl: `postgres://u@127.0.0.1:${port}/d`,
    databasePool: 1,
    hubShards: 1,
  }
  const opening = openServerDatabase(config, createRecordingLog(), { signal: stopping.signal })
  await expect(opening).rejects.toThrow('stopped')
})
