import { beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase } from '../../../test/database.js'
import { createTestHub } from '../../../test/hub.js'
import { TestUser } from '../../../test/network.js'
import { SignerEventType } from '../../protocol/definitions.js'
import { ensureApp } from '../apps/apps.js'
import { findActingSigner } from './acting-signer.js'
import { createSigner } from './signer-record.js'
import { approvedSigner, testVault } from './testing/approved-signer.js'

const { db } = await createTestDatabase()
const hub = await createTestHub(db)
const appId = await ensureApp(db, 'mine')
const otherAppId = await ensureApp(db, 'other')
const user = new TestUser(7)

beforeAll(async () => {
  await hub.submitOnChainEvents(user.onChain())
})

const find = (
  signerUuid: string,
  options: { appId?: string; permission?: 'PUBLISH_CAST' | 'any write' } = {},
) => findActingSigner({ db, vault: testVault }, { signerUuid, appId, permission: 'PUBLISH_CAST', ...options })

describe('findActingSigner', () => {
  it('returns the approved signer with its key and user', async () => {
    const { id, publicKey } = await approvedSigner({ db, hub }, user, { appId })
    for (const name of [id, id.toUpperCase()]) {
      const signer = await find(name)
      expect(signer).toMatchObject({ id, fid: 7 })
      expect(signer.key.publicKey).toEqual(publicKey)
    }
  })

  it('an unknown signer_uuid, well-formed or not -> not_found', async () => {
    for (const name of ['00000000-0000-4000-8000-000000000000', 'x', "'; drop table", '']) {
      await expect(find(name)).rejects.toMatchObject({ code: 'not_found', property: 'signer_uuid' })
    }
  })

  it('a signer of another app -> forbidden.other_app', async () => {
    const { id } = await approvedSigner({ db, hub }, user, { appId })
    await expect(find(id, { appId: otherAppId })).rejects.toMatchObject({ code: 'forbidden.other_app' })
  })

  it('not approved before the user approves, revoked after removal', async () => {
    const { id, publicKey } = await createSigner({ db, vault: testVault }, appId)
    await expect(find(id)).rejects.toMatchObject({ code: 'forbidden.signer_not_approved' })
    await hub.submitOnChainEvents([user.signerEvent(SignerEventType.ADD, 5_000_000, publicKey)])
    expect(await find(id)).toMatchObject({ fid: 7 })
    await hub.submitOnChainEvents([user.signerEvent(SignerEventType.REMOVE, 5_000_001, publicKey)])
    await expect(find(id)).rejects.toMatchObject({ code: 'forbidden.signer_revoked' })
  })

  it.each([
    [['PUBLISH_CAST'] as const, true, true],
    [['WRITE_ALL'] as const, true, true],
    [['DELETE_CAST'] as const, false, true],
    [['READ_ONLY', 'NONE'] as const, false, false],
    [[] as const, false, false],
  ])(
    'permissions %j: may publish a cast: %s, may write at all: %s',
    async (permissions, castPermitted, writePermitted) => {
      const { id } = await approvedSigner({ db, hub }, user, { appId, permissions: [...permissions] })
      const missing = { code: 'forbidden.permission_missing' }
      for (const [permission, isPermittedTo] of [
        ['PUBLISH_CAST', castPermitted],
        ['any write', writePermitted],
      ] as const) {
        const found = find(id, { permission })
        if (isPermittedTo) await expect(found).resolves.toMatchObject({ id })
        else await expect(found).rejects.toMatchObject(missing)
      }
    },
  )
})
