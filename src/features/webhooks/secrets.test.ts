import { randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import { createTestDatabase } from '../../../test/database.js'
import { createVault } from '../../platform/vault/vault.js'
import { decryptSigningSecrets } from './secrets.js'
import { createWebhook, deleteWebhook, listWebhooks, rotateSecret } from './webhooks.js'

const { db } = await createTestDatabase()
const settings = {
  targetPolicy: { allowHttp: true, allowLoopback: true },
  httpTimeoutMs: 1_000,
  rateLimit: 10,
  rateLimitMs: 1_000,
  maxPerApp: 10,
}
/** The store of a server with a key of its own. */
const openStore = () => ({ db, vault: createVault([randomBytes(32).toString('hex')]), settings })

it('secrets of a key that is gone: their webhooks are listed without them, get a new one, and can be deleted', async () => {
  const [app] = await db<{ id: string }[]>`insert into apps.apps (name) values ('app') returning id`
  const details = { filters: { 'user.created': {} } }
  const [before, after] = [openStore(), openStore()]
  const kept = await createWebhook(before, app!.id, {
    ...details,
    title: 'kept',
    targetUrl: 'http://localhost:9999/kept',
  })
  const other = await createWebhook(after, app!.id, {
    ...details,
    title: 'other',
    targetUrl: 'http://localhost:9999/other',
  })
  const secretsOf = async () =>
    (await listWebhooks(after, app!.id)).map(({ id, secrets }) => [id, secrets.length])
  expect(await secretsOf()).toEqual([
    [kept.id, 0],
    [other.id, 1],
  ])
  expect((await decryptSigningSecrets(db, after.vault, [kept.id])).get(kept.id)).toEqual([])

  await rotateSecret(after, app!.id, kept.id, 3_600)
  expect(await secretsOf()).toEqual([
    [kept.id, 1],
    [other.id, 1],
  ])
  await deleteWebhook(after, app!.id, kept.id)
  expect(await secretsOf()).toEqual([[other.id, 1]])
})
