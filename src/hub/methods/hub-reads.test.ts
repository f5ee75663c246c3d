import { expect, it } from 'vitest'
import type { Database } from '../../platform/db/connection.js'
import { LogResetError } from '../log/log-reset.js'
import type { MethodContext } from './hub-method.js'
import { type HubReads, readBeside, writeBeside } from './hub-reads.js'

const primary = 'primary' as unknown as Database
const replica = 'replica' as unknown as Database
const context = { db: primary } as MethodContext
const reads: HubReads = { run: (_callers, work) => work(replica), wrote: () => {} }

function resetOf(isBehind: boolean): LogResetError {
  return new LogResetError({ shard: 1, lastId: 81_920, nextId: 16_384, history: [], isBehind })
}

function read(failsWith: (db: Database) => Error | null): Promise<string> {
  return readBeside(reads, { address: '127.0.0.1' }, context, async ({ db }) => {
    const error = failsWith(db)
    if (error) throw error
    return String(db)
  })
}

it('a replica whose log ends before the page: the primary answers', async () => {
  expect(await read((db) => (db === replica ? resetOf(true) : null))).toBe('primary')
  await expect(read(() => resetOf(true))).rejects.toMatchObject({ code: 'not_found.log_reset' })
})

it('a log that went back: the reader is told', async () => {
  await expect(read(() => resetOf(false))).rejects.toMatchObject({ code: 'not_found.log_reset' })
})

it('a client behind a gateway that names its port: its next connection reads what it wrote', async () => {
  const written = new Set<string>()
  const remembering: HubReads = {
    run: (callers, work) => work(callers.some((caller) => written.has(caller)) ? primary : replica),
    wrote: (callers) => {
      for (const caller of callers) written.add(caller)
    },
  }
  const readAt = (address: string) =>
    readBeside(remembering, { address }, context, async ({ db }) => String(db))
  await writeBeside(remembering, '192.0.2.1:5678', async () => null)
  expect(await readAt('192.0.2.1:5679')).toBe('primary')
  expect(await readAt('192.0.2.2:5678')).toBe('replica')
})
