import { expect, it } from 'vitest'
import { createTestDatabase } from '../../../../test/database.js'
import type { Database } from '../../../platform/db/connection.js'
import { listPartitions } from '../../system/partitions.js'
import { readDatabaseSizes } from './sizes.js'

const { db } = await createTestDatabase()

it('a table or partition that is dropped while sizes are read is left out', async () => {
  await db`create table public.gone (n integer)`
  await db`create table hub.events_20200101 partition of hub.events for values from ('2020-01-01') to ('2020-01-02')`
  await db.begin('isolation level repeatable read', async (transaction) => {
    await transaction`select`
    await db`drop table public.gone, hub.events_20200101`
    const reader = transaction as unknown as Database
    const { tables } = await readDatabaseSizes(reader)
    expect(tables.filter(({ bytes }) => bytes === null)).toEqual([])
    expect((await listPartitions(reader)).filter(({ bytes }) => bytes === null)).toEqual([])
  })
})
