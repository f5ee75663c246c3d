import { expect, test } from 'vitest'
import { createTestDatabase } from '../../../../test/database.js'
import { countLockWaiters, holdTransaction } from '../../../graph/project/testing/transaction-locks.js'
import { secretDigest } from '../../../platform/vault/secret-digest.js'
import { ensureApp } from '../../apps/apps.js'
import { importTokens } from './import-tokens.js'
import { UNNAMED_CLIENT } from './token-holder.js'
import { endToken, grantToken, listTokens } from './tokens.js'

const { db } = await createTestDatabase()
const fid = 5
const clientFid = 9152
const url = 'https://client.example.com/notify'

/** An app whose user's token without a client is being replaced by another transaction. Returns what ends that transaction. */
async function replacing(name: string) {
  const appId = await ensureApp(db, name)
  await grantToken(db, { appId, fid, clientFid: UNNAMED_CLIENT }, { url, token: 'first' })
  const held = await holdTransaction(
    db,
    (transaction) => transaction`
      with past as (
        insert into miniapps.replaced_tokens (app_id, fid, client_fid, digest)
        values (${appId}, ${fid}, ${UNNAMED_CLIENT}, ${secretDigest('first')})
      )
      update miniapps.tokens set token = 'second'
      where app_id = ${appId} and fid = ${fid} and client_fid = ${UNNAMED_CLIENT}`,
  )
  return { appId, held }
}

/** The one token that is left: the client has it, and the token that was replaced meanwhile is not granted again. */
async function expectMoved(appId: string, status: string): Promise<void> {
  const outcome = await grantToken(db, { appId, fid, clientFid }, { url, token: 'first' })
  expect(outcome).toBe('unchanged')
  expect(await listTokens(db, appId, null, 10, null)).toMatchObject([
    { fid, client_fid: clientFid, token: 'second', status },
  ])
}

test('an event that ends a token names it while another replaces it -> it moves with what was replaced', async () => {
  const { appId, held } = await replacing('ended')
  const outcome = endToken(db, { appId, fid, clientFid }, 'disabled')
  await expect.poll(() => countLockWaiters(db)).toBe(1)
  await held.release()
  expect(await outcome).toBe('applied')
  await expectMoved(appId, 'disabled')
})

test('an import names a token while an event replaces it -> it moves with what was replaced', async () => {
  const { appId, held } = await replacing('imported')
  const times = { createdAt: null, updatedAt: null }
  const tally = importTokens(db, appId, [
    { fid, clientFid, url, token: 'second', state: 'enabled', ...times },
  ])
  await expect.poll(() => countLockWaiters(db)).toBe(1)
  await held.release()
  expect(await tally).toMatchObject({ updated: 1 })
  await expectMoved(appId, 'enabled')
})
