import { expect, it, onTestFinished } from 'vitest'
import { createTestDatabase } from '../../../test/database.js'
import { createApiKey } from '../../features/apps/api-keys.js'
import { ensureApp } from '../../features/apps/apps.js'
import { silentLog } from '../../platform/log/log.js'
import type { ServerApp } from '../module.js'
import { appsModule } from './apps.js'

const { db } = await createTestDatabase()

it('a clock that is days ahead of the database -> no day of the usage is deleted early', async () => {
  const { id } = await createApiKey(db, { appId: await ensureApp(db, 'app'), rateLimit: 0 })
  const [, kept] = await db<{ day: string }[]>`
    insert into apps.usage (key_id, day, operation, requests, refusals)
    select ${id}, current_date - age, 'GET cast', 1, 0 from unnest('{40, 1}'::integer[]) as age
    returning day::text`
  const started = await appsModule.start!({
    config: { databaseUrl: 'of-an-operator' },
    connections: { read: db, write: db },
    clock: () => Date.now() + 40 * 86_400_000,
    log: silentLog,
  } as unknown as ServerApp)
  onTestFinished(() => started.stop?.())
  await started.jobs?.find(({ name }) => name === 'old requests of API keys')?.run()
  expect(await db`select day::text from apps.usage`).toEqual([kept])
})
