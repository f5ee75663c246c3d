import { expect, it } from 'vitest'
import { createTestDatabase } from '../../../../test/database.js'
import { createTestHub } from '../../../../test/hub.js'
import { testKey, testNowUnix } from '../../../../test/network.js'
import { keyRequestMetadata, signKeyRequest } from '../../../hub/registry/key-request.js'
import { KEY_TYPE_ED25519 } from '../../../protocol/key-rules.js'
import { registerKeyHolder } from '../../signers/testing/key-holder.js'
import { executeLocally } from './local-contracts.js'
import { addKeyAuthorization, signAuthorization } from './signed-authorizations.js'

const { db } = await createTestDatabase()
const hub = await createTestHub(db)
const clock = () => testNowUnix * 1000
const app = await registerKeyHolder({ db, hub, clock })
const { account } = await registerKeyHolder({ db, hub, clock })
const deadline = testNowUnix + 3_600

async function addKey(requestDeadline: number) {
  const key = testKey('requested').publicKey
  const request = await signKeyRequest({ requestFid: app.fid, key, deadline: requestDeadline }, app.account)
  const added = { keyType: KEY_TYPE_ED25519, key, metadata: keyRequestMetadata(request) }
  const owner = account.address
  const authorization = addKeyAuthorization({ owner, added, nonce: 0n, deadline })
  const holder = { address: owner, deadline, signature: await signAuthorization(authorization, account) }
  const position = { blockNumber: 1, blockTimestamp: testNowUnix, logIndex: 0, transaction: 'add key/1' }
  return await executeLocally({ db, position, payer: owner }, { kind: 'add key', holder, added })
}

it('add key: the request of the app has expired -> refused, as by the validator of the key registry', async () => {
  expect(await addKey(testNowUnix)).toMatchObject({ events: [{ signerEventBody: {} }] })
  expect(await addKey(testNowUnix - 1)).toEqual({
    code: 'conflict',
    message: 'the deadline of the key request has passed',
  })
})
