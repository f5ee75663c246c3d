import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { expect, it, onTestFinished } from 'vitest'
import { createTestDatabase } from '../../test/database.js'
import { createDataDir } from '../../test/server-process.js'
import { lockDataDir } from '../platform/db/data-dir-lock.js'
import { migrationState } from '../platform/db/migrate.js'
import { createProgram } from './program.js'

/** Runs a command in this process, and returns why it failed. */
async function failureOf(env: Record<string, string>, ...args: string[]): Promise<string | null> {
  const program = await createProgram({
    env,
    print: () => {},
    progress: process.stderr,
    stdin: Readable.from([]),
    stdout: process.stdout,
    onStopSignal: () => {},
    onDatabaseStop: () => () => {},
  })
  return await program.parseAsync(['node', 'plaza', ...args]).then(
    () => null,
    (error: Error) => error.message,
  )
}

it('a command creates the schema of an empty database, and does not change one of an earlier version', async () => {
  const { db, url } = await createTestDatabase({ migrated: false })
  const env = { DATABASE_URL: url }
  expect(await failureOf(env, 'app', 'list')).toBeNull()
  const [last] = await db<{ name: string }[]>`
    delete from schema_migrations where id = (select max(id) from schema_migrations) returning name`
  expect(await failureOf(env, 'app', 'list')).toBe(
    `the migration ${last!.name} is not applied: run \`plaza migrate\`, or start the server in this version`,
  )
  expect((await migrationState(db)).pending).toEqual([last!.name])
})

it('a pool that is too small for all roles -> refused by a server that has them, and by no command', async () => {
  const { url } = await createTestDatabase()
  const env = { DATABASE_URL: url, DATABASE_POOL: '12' }
  expect(await failureOf(env, 'migrate')).toBeNull()
  expect(await failureOf(env, 'key', 'create', '--app', 'mine')).toBeNull()
  const refusal =
    'invalid environment variables:\nDATABASE_POOL: 12 is too small for ROLES=api,worker,sync: at least 15'
  expect(await failureOf(env, 'serve')).toBe(refusal)
})

it.each(['status', 'logs'])(
  'plaza %s without a server: says how it finds one, and makes no folder',
  async (command) => {
    const present = await createDataDir()
    const absent = join(present, 'absent')
    for (const dataDir of [present, absent]) {
      expect(await failureOf({ DATA_DIR: dataDir }, command)).toBe(
        `no server is running on ${dataDir}: start it, or set DATABASE_URL or DATA_DIR as for the server`,
      )
    }
    expect(existsSync(absent)).toBe(false)
  },
)

it.each(['status', 'logs'])(
  'plaza %s beside a server whose PostgreSQL is down: names its process, and what to do',
  async (command) => {
    const dataDir = await createDataDir()
    onTestFinished(lockDataDir(dataDir, 'serve'))
    expect(await failureOf({ DATA_DIR: dataDir }, command)).toBe(
      `the server runs on ${dataDir} (process ${process.pid}), but its database does not answer: it starts, recovers or ` +
        `cannot start. Try again soon; ${dataDir}/postgres.log says what it does`,
    )
  },
)
