import { expect, it } from 'vitest'
import { createTestDatabase } from '../database.js'
import { dumpSchema } from './schema-dump.js'

const { db } = await createTestDatabase()

it('schema.sql is what the migrations make; `npm run schema` writes it anew', async () => {
  await expect(await dumpSchema(db)).toMatchFileSnapshot('../../src/platform/db/schema.sql')
})

it('a kind of thing that it cannot write is not left out in silence', async () => {
  await db`create view public.people as select 1 as fid`
  await expect(dumpSchema(db)).rejects.toThrow('cannot write: relation people')
})
