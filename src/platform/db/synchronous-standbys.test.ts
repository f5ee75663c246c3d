import { expect, test } from 'vitest'
import { createTestDatabase } from '../../../test/database.js'
import { silentLog } from '../log/log.js'
import { waitsForStandby, warnIfAsynchronous } from './synchronous-standbys.js'

const { db } = await createTestDatabase({ migrated: false })

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

test('a primary without a synchronous standby -> a warning that names its settings', async () => {
  const lines: object[] = []
  await warnIfAsynchronous(db, { ...silentLog, warn: (fields) => lines.push(fields) })
  expect(lines).toEqual([{ standbyNames: '', commit: 'on' }])
})
