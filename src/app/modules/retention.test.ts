import { expect, it } from 'vitest'
import { createTestDatabase } from '../../../test/database.js'
import { createApp } from '../../features/apps/apps.js'
import { deleteExpiredAuditLog } from '../../features/console/audit-log.js'
import { testVault } from '../../features/signers/testing/approved-signer.js'
import { deleteEndedSecrets } from '../../features/webhooks/secrets.js'
import { testWebhookSettings } from '../../features/webhooks/testing/settings.js'
import { createWebhook, rotateSecret } from '../../features/webhooks/webhooks.js'
import { deleteOldRankings } from '../../graph/query/popular-casts.js'

const { db } = await createTestDatabase()

async function countRows(table: string): Promise<number> {
  const [row] = await db<[{ count: number }]>`select count(*)::integer as count from ${db(table)}`
  return row.count
}

it('entries of the audit log are deleted after their days, in batches, and younger ones stay', async () => {
  await db`
    insert into app.audit_log (at, address, operation, params)
    select now() - case when n <= 6000 then interval '31 days' else interval '29 days' end, '::1', 'POST a', '{}'
    from generate_series(1, 6003) n`
  await deleteExpiredAuditLog(db, 30)
  expect(await countRows('app.audit_log')).toBe(3)
})

it('secrets of webhooks are deleted a day after their end, and those that sign stay', async () => {
  const store = { db, vault: testVault, settings: testWebhookSettings }
  const { id: appId } = await createApp(db, { name: 'orchard' })
  const target = { title: 'test', targetUrl: 'https://hooks.plaza.social/in', filters: undefined }
  const { id } = await createWebhook(store, appId, target)
  await rotateSecret(store, appId, id, 0)
  await db`
    update webhooks.secrets set expires_at = now() - interval '25 hours' where webhook_id = ${id} and expires_at is not null`
  await rotateSecret(store, appId, id, 3_600)
  await rotateSecret(store, appId, id, 0)
  expect(await countRows('webhooks.secrets')).toBe(4)
  await deleteEndedSecrets(db)
  expect(await countRows('webhooks.secrets')).toBe(3)
})

it('rankings of casts are deleted when nobody has asked for them for a day, with their casts', async () => {
  await db`insert into search.popular_cast_runs (fid, ranked_at) values
    (1, now() - interval '25 hours'), (2, now() - interval '23 hours')`
  await db`insert into search.popular_casts (fid, hash) values (1, '\\x01'), (1, '\\x02'), (2, '\\x03')`
  await deleteOldRankings(db)
  expect(await db`select fid from search.popular_cast_runs`).toEqual([{ fid: 2 }])
  expect(await db`select fid from search.popular_casts`).toEqual([{ fid: 2 }])
})
