import { expect, test } from 'vitest'
import { createTestDatabase } from '../../../test/database.js'
import { startReplicatedCluster } from '../../../test/replicated-cluster.js'
import { silentLog } from '../log/log.js'
import type { Database } from './connection.js'
import { waitsForStandby, warnIfAsynchronous } from './synchronous-standbys.js'

const { db } = await createTestDatabase({ migrated: false })
const { primary } = await startReplicatedCluster()

test.each([
  ['', 'on', false],
  [' ', 'on', false],
  ['*', 'on', true],
  ['FIRST 1 (node2, node3)', 'remote_apply', true],
  ['*', 'local', false],
  ['*', 'off', false],
])('standbys %j and synchronous_commit %s -> waits: %s', (standbyNames, commit, waits) => {
  expect(waitsForStandby({ standbyNames, commit })).toBe(waits)
})

/** What is warned of. */
async function warningsOf(target: Database, namesOthers: boolean): Promise<object[]> {
  const lines: object[] = []
  await warnIfAsynchronous(target, { ...silentLog, warn: (fields) => lines.push(fields) }, namesOthers)
  return lines
}

const settings = { standbyNames: '', commit: 'on' }

test('another server is named, and the primary waits for none -> a warning that names its settings', async () => {
  expect(await warningsOf(db, true)).toEqual([settings])
})

test('no other server is named -> a warning if a standby is attached', async () => {
  expect(await warningsOf(db, false)).toEqual([])
  expect(await warningsOf(primary.db, false)).toEqual([settings])
})
