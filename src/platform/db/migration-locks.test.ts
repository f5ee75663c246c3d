import { expect, it } from 'vitest'
import { createTestDatabase } from '../../../test/database.js'
import { createRecordingLog } from '../../../test/sync/test-sync.js'
import { migrationState } from './migrate.js'
import { openServerDatabase } from './open-database.js'

const { db, url, connect } = await createTestDatabase({ migrated: false })

it('a migration gives up a lock that another transaction holds, says so, and runs when it is free', async () => {
  const reader = connect({ poolSize: 1 })
  const log = createRecordingLog()
  const config = { dataDir: '', databaseUrl: url, databasePool: 1, hubShards: 1 }
  let opening: ReturnType<typeof openServerDatabase> | undefined
  await reader.begin(async (transaction) => {
    // What the first migration creates.
    await transaction`create schema hub`
    opening = openServerDatabase(config, log)
    await expect
      .poll(() => log.lines.map(({ message }) => message), { timeout: 20_000 })
      .toContainEqual(expect.stringContaining('a migration waits for a lock'))
    await transaction`drop schema hub`
  })
  await (await opening)?.close()
  expect(await migrationState(db)).toEqual({ pending: [], unknown: [] })
})
