import { english, generateMnemonic, mnemonicToAccount } from 'viem/accounts'
import { createSiweMessage } from 'viem/siwe'
import { expect, it } from 'vitest'
import { ensureApp } from '../../src/features/apps/apps.js'
import { registerKeyHolder, signKeyRequestBody } from '../../src/features/signers/testing/key-holder.js'
import type { EthAccount } from '../../src/hub/registry/eth-account.js'
import { ethAccount, newPrivateKey } from '../../src/hub/registry/eth-account.js'
import { LocalRegistry } from '../../src/hub/registry/registry.js'
import { testNowUnix } from '../network.js'
import { connectClient, serveApi } from './served-api.js'

const { db, hub, client, url } = await serveApi()
const clock = () => testNowUnix * 1000
const parts = { db, hub, clock }
const registry = new LocalRegistry(parts)
const mnemonic = generateMnemonic(english)
const appAddress = Buffer.from(mnemonicToAccount(mnemonic).address.slice(2), 'hex')
const appAccount = await registry.createFid(appAddress)
const appFid = 'fid' in appAccount ? appAccount.fid : 0
const app = await registerKeyHolder(parts)
const user = await registerKeyHolder(parts)
const deadline = testNowUnix + 86_400

/** What the approval page does with the user's wallet. */
async function approve(approvalUrl: string, { signer }: EthAccount, permissions: string[] | null = null) {
  const page = `${url}${new URL(approvalUrl).pathname}`
  const post = async (name: string, body: object) => {
    const headers = { 'content-type': 'application/json' }
    const reply = await fetch(`${page}/${name}`, { method: 'POST', headers, body: JSON.stringify(body) })
    expect(reply.status).toBe(200)
    return JSON.parse(await reply.text())
  }
  const { fid, approval } = await post('account', { address: signer.address, permissions })
  const signature = await signer.signTypedData(approval.typed_data)
  await post('approval', { fid, deadline: approval.deadline, signature, permissions })
}

it('makes a signer, asks for it as the app, and finds it approved', async () => {
  const keyRequest = await client.createSignerAndRegisterSignedKey({
    farcasterDeveloperMnemonic: mnemonic,
    deadline,
  })
  expect(keyRequest).toMatchObject({ status: 'pending_approval', public_key: expect.stringMatching(/^0x/) })
  const { signer_uuid: signerUuid, signer_approval_url } = keyRequest!
  await approve(signer_approval_url!, user.account, ['PUBLISH_CAST', 'PUBLISH_REACTION'])
  expect(await client.lookupSigner({ signerUuid })).toEqual({
    object: 'signer',
    signer_uuid: signerUuid,
    public_key: keyRequest!.public_key,
    status: 'approved',
    fid: user.fid,
    permissions: ['PUBLISH_CAST', 'PUBLISH_REACTION'],
  })
  expect(
    (await client.lookupUserByCustodyAddress({ custodyAddress: mnemonicToAccount(mnemonic).address })).user
      .fid,
  ).toBe(appFid)
})

it('takes its own signatures of another wallet’s making, with a sponsor', async () => {
  const { signer_uuid, public_key } = await client.createSigner()
  const { app_fid, ...keyRequest } = await signKeyRequestBody(app, public_key, deadline)
  const pending = await client.registerSignedKey({
    signerUuid: signer_uuid,
    appFid: app_fid,
    ...keyRequest,
    redirectUrl: 'myapp://done',
    sponsor: { sponsored_by_neynar: true },
  })
  expect(pending.status).toBe('pending_approval')
})

it('asks for keys and addresses that the developer holds', async () => {
  const publicKey = `0x${newPrivateKey().toString('hex')}`
  const { app_fid, ...keyRequest } = await signKeyRequestBody(app, publicKey, deadline)
  const pending = await client.registerSignedKeyForDeveloperManagedSigner({
    publicKey,
    appFid: app_fid,
    ...keyRequest,
  })
  expect(pending.status).toBe('pending_approval')
  await approve(pending.signer_approval_url!, user.account, [])
  expect(await client.lookupDeveloperManagedSigner({ publicKey })).toEqual({
    public_key: publicKey,
    status: 'approved',
    fid: user.fid,
  })

  const address = ethAccount(newPrivateKey()).signer.address.toLowerCase()
  const word = await signKeyRequestBody(app, `0x${'00'.repeat(12)}${address.slice(2)}`, deadline)
  const pendingAddress = await client.registerSignedKeyForDeveloperManagedAuthAddress({
    address,
    appFid: app.fid,
    deadline,
    signature: word.signature,
  })
  await approve(pendingAddress.auth_address_approval_url!, user.account)
  expect(await client.lookupDeveloperManagedAuthAddress({ address })).toEqual({
    address,
    status: 'approved',
    fid: user.fid,
  })
})

it('lists the signers of a user who signs in with Ethereum', async () => {
  const { nonce } = await client.fetchNonce()
  const { signer } = user.account
  const message = createSiweMessage({
    address: signer.address,
    chainId: 10,
    domain: 'app.example',
    uri: 'https://app.example',
    nonce,
    version: '1',
    issuedAt: new Date(clock()),
  })
  const { signers } = await client.fetchSigners({ message, signature: await signer.signMessage({ message }) })
  expect(signers).toMatchObject([{ status: 'approved', fid: user.fid }])
})

it('finds the login page of its app', async () => {
  const clientId = await ensureApp(db, 'of the login page')
  expect(await client.fetchAuthorizationUrl({ clientId, responseType: 'code' })).toEqual({
    authorization_url: expect.stringContaining(`/login?client_id=${clientId}`),
  })
})

it('is told apart what went wrong', async () => {
  const failure = (status: number, code: string) => ({ response: { status, data: { code, status } } })
  const { signer_uuid: signerUuid } = await client.createSigner()
  const stranger = connectClient(url, 'not a key')
  await expect(stranger.lookupSigner({ signerUuid })).rejects.toMatchObject(failure(401, 'Unauthorized'))
  const unknown = '00000000-0000-4000-8000-000000000000'
  await expect(client.lookupSigner({ signerUuid: unknown })).rejects.toMatchObject(failure(404, 'NotFound'))
  await expect(client.lookupSigner({ signerUuid: 'nobody' })).rejects.toMatchObject(
    failure(400, 'InvalidField'),
  )
  await expect(client.fetchAuthorizationUrl({ clientId: 'x', responseType: 'code' })).rejects.toMatchObject(
    failure(400, 'InvalidField'),
  )
})
