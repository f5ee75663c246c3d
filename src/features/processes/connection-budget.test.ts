import { expect, it, onTestFinished } from 'vitest'
import { createTestDatabase } from '../../../test/database.js'
import { type Log, silentLog } from '../../platform/log/log.js'
import { registerProcess } from './process-registry.js'

const { db } = await createTestDatabase()

function recorder() {
  const lines: { readonly fields: unknown; readonly text: string }[] = []
  const log: Log = { ...silentLog, warn: (fields, text) => lines.push({ fields, text }) }
  return { lines, log }
}

async function register(connections: number, log: Log): Promise<void> {
  // No heartbeat revives one that the test declares dead.
  const details = { roles: new Set(['api'] as const), connections, heartbeatMs: 600_000 }
  const process = await registerProcess(db, details, log)
  onTestFinished(() => process.stop())
}

it('the budget of all live processes: a warning names the numbers when it is larger than PostgreSQL has', async () => {
  const [row] = await db<{ max: number; reserved: number }[]>`
    select current_setting('max_connections')::integer as max,
      current_setting('superuser_reserved_connections')::integer as reserved`
  const { max, reserved } = row!
  const fits = recorder()
  await register(max - reserved - 10, fits.log)
  await register(10, fits.log)
  expect(fits.lines).toEqual([])
  const over = recorder()
  await register(5, over.log)
  expect(over.lines).toMatchObject([
    {
      fields: { budget: max - reserved + 5, processes: 3, available: max - reserved, maxConnections: max },
      text: expect.stringContaining(`max_connections = ${max}`),
    },
  ])
  // One that has died counts no more.
  await db`update app.processes set alive_until = now() where connections = 10`
  const fitsAgain = recorder()
  await register(5, fitsAgain.log)
  expect(fitsAgain.lines).toEqual([])
})
