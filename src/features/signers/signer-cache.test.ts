import { expect, it } from 'vitest'
import { createTestDatabase } from '../../../test/database.js'
import { createTestHub } from '../../../test/hub.js'
import { TestUser } from '../../../test/network.js'
import { SignerEventType } from '../../protocol/definitions.js'
import { ensureApp } from '../apps/apps.js'
import { createSignerCache } from './acting-signer.js'
import { createSigner } from './signer-record.js'
import { approvedSigner, testVault } from './testing/approved-signer.js'

const statements: string[] = []
const { db, connect } = await createTestDatabase()
const observedDb = connect({ onStatement: (sql) => statements.push(sql) })
const hub = await createTestHub(db)
const appId = await ensureApp(db, 'mine')
const otherAppId = await ensureApp(db, 'other')
const user = new TestUser(7)
await hub.submitOnChainEvents(user.onChain())
let nowMs = 0
const cache = createSignerCache({ db: observedDb, vault: testVault }, () => nowMs)
const permission = 'PUBLISH_CAST'

it('createSignerCache: concurrent lookups within a second -> one query', async () => {
  const { id } = await approvedSigner({ db, hub }, user, { appId })
  statements.length = 0
  const request = { signerUuid: id, appId, permission } as const
  await Promise.all([cache.find(request), cache.find({ ...request, signerUuid: id.toUpperCase() })])
  nowMs += 999
  expect(await cache.find(request)).toMatchObject({ id, fid: 7 })
  expect(statements).toHaveLength(1)
  nowMs += 1
  await cache.find(request)
  expect(statements).toHaveLength(2)
})

it('createSignerCache: other apps, other permissions and refusals are not cached', async () => {
  const { id } = await approvedSigner({ db, hub }, user, { appId, permissions: ['PUBLISH_CAST'] })
  await cache.find({ signerUuid: id, appId, permission })
  await expect(cache.find({ signerUuid: id, appId: otherAppId, permission })).rejects.toMatchObject({
    code: 'forbidden.other_app',
  })
  await expect(cache.find({ signerUuid: id, appId, permission: 'DELETE_CAST' })).rejects.toMatchObject({
    code: 'forbidden.permission_missing',
  })
  const { id: late, publicKey } = await createSigner({ db, vault: testVault }, appId)
  const request = { signerUuid: late, appId, permission } as const
  await expect(cache.find(request)).rejects.toMatchObject({ code: 'forbidden.signer_not_approved' })
  await hub.submitOnChainEvents([user.signerEvent(SignerEventType.ADD, 5_000_000, publicKey)])
  expect(await cache.find(request)).toMatchObject({ id: late })
})

it('createSignerCache: findFresh bypasses the cache and drops a revoked signer', async () => {
  const { id, publicKey } = await approvedSigner({ db, hub }, user, { appId })
  const request = { signerUuid: id, appId, permission } as const
  await cache.find(request)
  await hub.submitOnChainEvents([user.signerEvent(SignerEventType.REMOVE, 4_000_000_000, publicKey)])
  const revoked = { code: 'forbidden.signer_revoked' }
  await expect(cache.findFresh(request)).rejects.toMatchObject(revoked)
  await expect(cache.find(request)).rejects.toMatchObject(revoked)
})
