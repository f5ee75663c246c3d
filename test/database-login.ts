import { randomBytes } from 'node:crypto'
import { onTestFinished } from 'vitest'
import type { Database } from '../src/platform/db/connection.js'

/** A role of its own for a test database, whose sessions act as the role that owns the tables. */
export interface DatabaseLogin {
  readonly url: string
  /** Changes the password and ends all sessions of the role: new ones are refused. */
  refuse(): Promise<void>
  /** Gives it the password of the URL again. */
  admit(): Promise<void>
}

/** Creates a role that logs in with a password, for one test. */
export async function createDatabaseLogin(db: Database, databaseUrl: string): Promise<DatabaseLogin> {
  const role = `plaza_login_${randomBytes(4).toString('hex')}`
  const password = 'of-the-url'
  const [{ owner }] = await db<[{ owner: string }]>`select current_user as owner`
  const setPassword = (text: string) => db.unsafe(`alter role ${role} password '${text}'`)
  await db.unsafe(`create role ${role} login password '${password}' in role ${owner}`)
  onTestFinished(async () => {
    await db.unsafe(`drop role ${role}`)
  })
  const url = Object.assign(new URL(databaseUrl), { username: role, password })
  url.search = `?options=${encodeURIComponent(`-c role=${owner}`)}`
  return {
    url: url.href,
    async refuse() {
      await setPassword('another-one')
      await db`select pg_terminate_backend(pid, 10000) from pg_stat_activity where usename = ${role}`
    },
    async admit() {
      await setPassword(password)
    },
  }
}
