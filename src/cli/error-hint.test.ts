import { mkdirSync } from 'node:fs'
import { createServer } from 'node:net'
import { expect, it } from 'vitest'
import { createTestDatabase } from '../../test/database.js'
import { connect } from '../platform/db/connection.js'
import { DataDirBusyError } from '../platform/db/data-dir-lock.js'
import { errorHint } from './error-hint.js'

const { url } = await createTestDatabase()

/** What listening there fails with. */
function listenFailure(port: number, host: string): Promise<Error> {
  return new Promise((resolve) => createServer().once('error', resolve).listen(port, host))
}

/** What a statement there fails with. */
async function databaseFailure(change: (url: URL) => void): Promise<unknown> {
  const address = new URL(url)
  change(address)
  const db = connect(address.href, { poolSize: 1, applicationName: 'plaza test' })
  const error: unknown = await db`select 1`.catch((reason: unknown) => reason)
  await db.end()
  return error
}

it('says what to do about a port that is taken, and about an address that is not ours', async () => {
  const taken = createServer()
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve))
  const { port } = taken.address() as { port: number }
  const advice = errorHint(await listenFailure(port, '127.0.0.1'), false)
  expect(advice).toBe(`end the program that has port ${port}, or choose another by PORT`)
  taken.close()
  expect(errorHint(await listenFailure(0, '192.0.2.1'), false)).toBe(
    'set HOST to an address of this machine: 192.0.2.1 is none',
  )
})

it('says what to do about a data directory that cannot be made', () => {
  const path = '/dev/null/data'
  expect(() => mkdirSync(path, { recursive: true })).toThrow(
    expect.toSatisfy((error) => errorHint(error, false)?.includes(`${path} is none`) === true),
  )
})

it('says what to do about a data directory that is another’s', () => {
  const refused = Object.assign(new Error('EROFS: read-only file system'), { code: 'EROFS', path: '/data/x' })
  expect(errorHint(refused, false)).toContain('a user who may use /data/x')
  const busy = new DataDirBusyError('/data', { pid: 7, identity: '1', command: 'serve' })
  expect(errorHint(busy, false)).toContain('set DATA_DIR to another directory')
})

it('says what to do about a database of the user’s that is not there, but not about one of our own', async () => {
  const missing = await databaseFailure((address) => {
    address.pathname = '/nowhere'
  })
  expect(errorHint(missing, true)).toContain('createdb')
  expect(errorHint(missing, false)).toBeNull()
  const refused = await databaseFailure((address) => {
    address.port = '1'
  })
  expect(errorHint(refused, true)).toContain('start the PostgreSQL')
})

it('says nothing about what is a fault of ours', () => {
  for (const error of [new Error('a mistake'), new TypeError('x is undefined'), 'text', null]) {
    expect(errorHint(error, true)).toBeNull()
  }
})
