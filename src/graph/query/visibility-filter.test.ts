import { expect, test } from 'vitest'
import { createTestDatabase } from '../../../test/database.js'
import { visibilityFilter } from './visibility-filter.js'

const { db } = await createTestDatabase()

test('hidden users of a viewer are hashed, not compared with each row', async () => {
  const plan = await db<{ 'QUERY PLAN': string }[]>`
    explain select c.hash from social.casts c where ${visibilityFilter(db, { viewerFid: 1 }, 'c.fid')}`
  expect(plan.map((row) => row['QUERY PLAN']).join('\n')).toContain('hashed SubPlan')
})
