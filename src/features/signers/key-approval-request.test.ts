import { expect, it } from 'vitest'
import { createTestDatabase } from '../../../test/database.js'
import { createTestHub } from '../../../test/hub.js'
import { testNowUnix } from '../../../test/network.js'
import type { Database } from '../../platform/db/connection.js'
import { hexOf } from '../../protocol/bytes.js'
import { FarcasterNetwork } from '../../protocol/definitions.js'
import { ensureApp } from '../apps/apps.js'
import { requestSignerApproval } from './key-approval-request.js'
import { readSignedKeyRequest } from './signed-key-request.js'
import { createSigner } from './signer-record.js'
import { testVault } from './testing/approved-signer.js'
import { registerKeyHolder, signKeyRequestBody } from './testing/key-holder.js'

const { db } = await createTestDatabase()
const hub = await createTestHub(db)
const clock = () => testNowUnix * 1000
const network = FarcasterNetwork.DEVNET

/** Runs work once, right before the statement that has this text. */
function overtakenAt(text: string, overtake: () => Promise<unknown>): Database {
  let isDue = true
  return new Proxy(db, {
    apply(target, self, args) {
      const statement = () => Reflect.apply(target as typeof db, self, args as [string])
      if (!isDue || !String(args[0]).includes(text)) return statement()
      isDue = false
      return overtake().then(statement)
    },
  })
}

it('requestSignerApproval: a copy of a request that another copy overtakes -> the same state', async () => {
  const app = await registerKeyHolder({ db, hub, clock })
  const appId = await ensureApp(db, 'test')
  const { id: signerUuid, publicKey } = await createSigner({ db, vault: testVault }, appId)
  const request = readSignedKeyRequest(await signKeyRequestBody(app, hexOf(publicKey), testNowUnix + 60))
  const send = (by: Database) =>
    requestSignerApproval({ db: by, network, clock }, { appId, signerUuid }, request)
  const overtaken = overtakenAt('from signers.signers where id', () => send(db))
  expect(await send(overtaken)).toMatchObject({ id: signerUuid, status: 'pending_approval' })
})
