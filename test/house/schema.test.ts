import { expect, it } from 'vitest'
import { createTestDatabase } from '../database.js'
import { dumpSchema } from './schema-dump.js'

const { db } = await createTestDatabase()

it('schema.sql equals the result of the migrations; `npm run schema` writes it', async () => {
  await expect(await dumpSchema(db)).toMatchFileSnapshot('../../src/platform/db/schema.sql')
})

it('the dump throws for an object that it cannot write', async () => {
  await db`create view public.people as select 1 as fid`
  await expect(dumpSchema(db)).rejects.toThrow('cannot write: relation people')
})
