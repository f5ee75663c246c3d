import { expect, it } from 'vitest'
import { createTestDatabase } from '../../../test/database.js'
import { withHeldConnection } from './held-connection.js'

it('as many as the pool has connections, each of which needs another one -> all end', async () => {
  const { db } = await createTestDatabase({ poolSize: 2 })
  const answer = (n: number) =>
    withHeldConnection(db, async (transaction) => {
      await transaction`select pg_advisory_xact_lock(${n}::bigint)`
      return await db<{ n: number }[]>`select ${n}::int as n`
    })
  expect(await Promise.all([1, 2, 3].map(answer))).toEqual([[{ n: 1 }], [{ n: 2 }], [{ n: 3 }]])
})

it('one that fails -> its transaction is undone, and the next has its turn', async () => {
  const { db } = await createTestDatabase({ poolSize: 2 })
  await db`create table held (n int)`
  const store = (n: number) =>
    withHeldConnection(db, async (transaction) => {
      await transaction`insert into held values (${n}::int)`
      if (n === 1) throw new Error('not this one')
    })
  const ends = await Promise.allSettled([store(1), store(2)])
  expect(ends.map(({ status }) => status)).toEqual(['rejected', 'fulfilled'])
  expect(await db`select n from held`).toEqual([{ n: 2 }])
})
