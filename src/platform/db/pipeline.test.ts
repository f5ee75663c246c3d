import { beforeEach, describe, expect, test } from 'vitest'
import { createTestDatabase } from '../../../test/database.js'
import { inPipeline, transact } from './pipeline.js'

const { db } = await createTestDatabase()

beforeEach(async () => {
  await db`drop table if exists numbers`
  await db`create table numbers (n integer primary key)`
})

const stored = async () => (await db<{ n: number }[]>`select n from numbers order by n`).map(({ n }) => n)

describe('transact', () => {
  test('a transaction commits what it awaits and what it sends with the commit', async () => {
    const result = await transact(db, async (transaction, withCommit) => {
      await transaction`insert into numbers values (1)`
      withCommit([
        transaction`insert into numbers values (2)`,
        transaction`insert into numbers select n + 2 from numbers`,
      ])
      return 'done'
    })

    expect(result).toBe('done')
    expect(await stored()).toEqual([1, 2, 3, 4])
  })

  test('a statement that fails beside the commit -> nothing is committed, and its error is thrown', async () => {
    const failing = transact(db, async (transaction, withCommit) => {
      await transaction`insert into numbers values (1)`
      withCommit([
        transaction`insert into numbers values (2)`,
        transaction`insert into numbers values (1)`,
        transaction`insert into numbers values (3)`,
      ])
    })

    await expect(failing).rejects.toMatchObject({ code: '23505' })
    expect(await stored()).toEqual([])
  })

  test('work that throws sends none of the statements for the commit', async () => {
    const failing = transact(db, async (transaction, withCommit) => {
      withCommit([transaction`insert into numbers values (1)`])
      throw new Error('changed its mind')
    })

    await expect(failing).rejects.toThrow('changed its mind')
    expect(await stored()).toEqual([])
  })
})

describe('inPipeline', () => {
  test('a part that fails -> no other part writes after the rollback', async () => {
    const failing = db.begin((transaction) =>
      inPipeline([
        transaction`select 1 / 0`,
        (async () => {
          await new Promise((resolve) => setImmediate(resolve))
          await transaction`insert into numbers values (1)`
        })(),
      ]),
    )

    await expect(failing).rejects.toMatchObject({ code: '22012' })
    expect(await stored()).toEqual([])
  })

  test('the error is that of the statement that failed the transaction, also if it is heard of late', async () => {
    const deadlock = Object.assign(new Error('deadlock detected'), { code: '40P01' })
    const notRun = Object.assign(new Error('current transaction is aborted'), { code: '25P02' })
    const late = new Promise((_, reject) => {
      setImmediate(() => reject(deadlock))
    })

    await expect(inPipeline([late, Promise.reject(notRun)])).rejects.toBe(deadlock)
  })

  test('its results are in the order of its parts', async () => {
    const [first, second] = await inPipeline([Promise.resolve(1), Promise.resolve('two')])

    expect([first, second]).toEqual([1, 'two'])
  })
})
