import { expect, it } from 'vitest'
import { createTestDatabase } from '../../../../test/database.js'
import type { Database } from '../connection.js'
import { PrimaryLog } from './primary-log.js'

const { db, connect } = await createTestDatabase()
await db`create table written (id integer)`

/** A primary whose log ends at these positions, one after the other. */
function primaryAt(...positions: number[]): Database {
  return (async () => [{ lsn: positions.shift() }]) as unknown as Database
}

it('the position after a commit: includes it', async () => {
  const log = new PrimaryLog(db, 60_000)
  await log.read()
  await db`insert into written values (1)`
  const [end] = await db<{ lsn: number }[]>`
    select (pg_current_wal_flush_lsn() - '0/0'::pg_lsn)::bigint as lsn`
  const committedMs = performance.now()
  const { lsn } = await log.positionAfter(committedMs)
  expect(lsn).toBeGreaterThanOrEqual(end!.lsn)
  await db`insert into written values (2)`
  expect((await log.positionAfter(committedMs)).lsn).toBe(lsn)
})

it('requests during a read: share the one that follows it', async () => {
  const statements: string[] = []
  const log = new PrimaryLog(connect({ onStatement: (sql) => statements.push(sql) }), 60_000)
  await Promise.all(Array.from({ length: 20 }, () => log.read()))
  expect(statements).toHaveLength(2)
})

it('the oldest position beyond another: null at the end of what is known', async () => {
  const log = new PrimaryLog(primaryAt(10, 20, 20, 30), 60_000)
  expect(log.firstBeyond(0)).toBeNull()
  for (let count = 0; count < 4; count += 1) await log.read()
  expect([5, 10, 20, 30].map((lsn) => log.firstBeyond(lsn)?.lsn)).toEqual([10, 20, 30, undefined])
})

it('a primary that continues from an earlier position: nothing that was known holds', async () => {
  const log = new PrimaryLog(primaryAt(10, 20, 15), 60_000)
  for (let count = 0; count < 3; count += 1) await log.read()
  expect([log.last?.lsn, log.firstBeyond(0)?.lsn, log.first?.lsn]).toEqual([15, 15, 10])
})
