import { Configuration, NeynarAPIClient } from '@neynar/nodejs-sdk'
import { expect, it } from 'vitest'
import { fundedWallet, LOCAL_PRICE } from '../../src/features/accounts/testing/funded-wallet.js'
import { newAccount } from '../../src/features/accounts/testing/new-account.js'
import { ensureApp } from '../../src/features/apps/apps.js'
import { registerKeyHolder, signKeyRequestBody } from '../../src/features/signers/testing/key-holder.js'
import { testNowUnix } from '../network.js'
import { refusalOf } from './error-of-call.js'
import { serveApi } from './served-api.js'
import { signTransfer } from './sign-transfer.js'

const { db, hub, url, key } = await serveApi()
const wallet = await fundedWallet(db, { appId: await ensureApp(db, 'test'), balance: 20n * LOCAL_PRICE })
const app = await registerKeyHolder({ db, hub, clock: () => testNowUnix * 1000 })
const deadline = testNowUnix + 3_600

/** The client with a wallet, as its documentation tells to make it. */
function payingClient(walletId: string): NeynarAPIClient {
  const baseOptions = { headers: { 'x-wallet-id': walletId } }
  return new NeynarAPIClient(new Configuration({ apiKey: key, basePath: url, baseOptions }))
}

const client = payingClient(wallet.id)

it('takes a fid, signs, registers, and casts by the signer it has added', async () => {
  const { fid } = await client.getFreshAccountFID()
  const { available } = await client.isFnameAvailable({ fname: 'newcomer' })
  expect(available).toBe(true)
  const user = newAccount()
  const { signer_uuid: uuid, public_key } = await client.createSigner()
  const { app_fid, deadline: until, signature } = await signKeyRequestBody(app, public_key, deadline)
  const registered = await client.registerAccount({
    fid,
    deadline,
    requestedUserCustodyAddress: user.signer.address,
    signature: await signTransfer(user, { fid, deadline }),
    fname: 'newcomer',
    metadata: { bio: 'just arrived', url: 'https://newcomer.example' },
    signer: { uuid, app_fid, deadline: until, signed_key_request_metadata_signature: signature },
  })
  expect(registered).toMatchObject({ success: true, signers: [{ uuid, status: 'approved', fid }] })
  expect(registered.user).toMatchObject({
    fid,
    username: 'newcomer',
    profile: { bio: { text: 'just arrived' } },
  })
  const { cast } = await client.publishCast({ signerUuid: uuid, text: 'hello' })
  expect((await client.lookupCastByHashOrUrl({ identifier: cast.hash, type: 'hash' })).cast.author.fid).toBe(
    fid,
  )
  const { user: found } = await client.lookupUserByCustodyAddress({ custodyAddress: user.signer.address })
  expect(found.fid).toBe(fid)
  const bought = await client.buyStorage({ fid, units: 2, idem: 'sixteen letters.' })
  expect(bought.total_active_units).toBe(3)
})

it('is told apart what is wrong with the wallet', async () => {
  const emptyWallet = await fundedWallet(db, { appId: wallet.appId, balance: 0n })
  expect(await refusalOf(payingClient(emptyWallet.id).getFreshAccountFID())).toEqual([
    402,
    'InsufficientFunds',
    undefined,
  ])
  expect(await refusalOf(payingClient('nobody').getFreshAccountFID())).toEqual([
    404,
    'InvalidWalletId',
    undefined,
  ])
  expect(await refusalOf(payingClient('').getFreshAccountFID())).toEqual([400, 'RequiredField', undefined])
  const { fid } = await client.getFreshAccountFID()
  const user = newAccount()
  const nonceRequest = { fid, deadline, requestedUserCustodyAddress: user.signer.address }
  const signature = await signTransfer(user, { fid, deadline })
  const fundedWalletId = await fundedWallet(db, { appId: wallet.appId })
  expect(
    await refusalOf(payingClient(fundedWalletId.id).registerAccount({ ...nonceRequest, signature })),
  ).toEqual([409, 'FidOfAnotherWallet', 'fid'])
  expect((await client.registerAccount({ ...nonceRequest, signature })).signers).toEqual([])
})
