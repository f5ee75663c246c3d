import { expect } from 'vitest'
import { signKeyRequestBody } from '../../src/features/signers/testing/key-holder.js'
import { ethAccount } from '../../src/hub/registry/eth-account.js'
import { refusalOf } from '../published-client/error-of-call.js'
import { connectClient } from '../published-client/served-api.js'
import type { RecordedRun } from './recorded-run.js'

/** An account created by a command. */
export interface Account {
  readonly fid: number
  /** 0x and 64 hex digits. */
  readonly custodyKey: `0x${string}`
}

/** The published client. */
export type Client = ReturnType<typeof connectClient>

/** The accounts and apps of a run. */
export interface Participants {
  readonly run: RecordedRun
  /** Two API keys of one app. */
  readonly client: Client
  readonly reader: Client
  readonly key: string
  /** Another app. */
  readonly otherApp: Client
  readonly app: Account
  readonly alice: Account
  readonly bob: Account
  /** Approved signers. */
  readonly aliceSigner: string
  readonly bobSigner: string
}

/** Decodes hex with or without 0x. */
export const bytesOf = (hex: string) => Buffer.from(hex.replace(/^0x/, ''), 'hex')
/** Unix seconds. */
export const nowUnix = () => Math.floor(Date.now() / 1000)

async function createAccount(run: RecordedRun, name: string): Promise<Account> {
  const secret = `the custody key of ${name}`
  const { fid, custodyPrivateKey } = JSON.parse(await run.plaza(['fid', 'create', '--json'], [secret]))
  run.search.add(secret, custodyPrivateKey, bytesOf(custodyPrivateKey))
  return { fid, custodyKey: custodyPrivateKey }
}

async function createKey(run: RecordedRun, app: string, name: string): Promise<string> {
  const key = await run.plaza(['key', 'create', '--app', app], [name])
  run.search.add(name, key, key.replace('plaza_', ''))
  return key
}

/** Creates, requests, approves and polls a signer as in docs/signers.md. */
async function askForSigner(
  { run, client, app }: Pick<Participants, 'run' | 'client' | 'app'>,
  user: Account,
  options: { readonly byPage: boolean },
): Promise<string> {
  const { signer_uuid: signerUuid, public_key, status } = await client.createSigner()
  expect(status).toBe('generated')
  const account = ethAccount(bytesOf(app.custodyKey))
  const { app_fid, ...keyRequest } = await signKeyRequestBody(
    { ...app, account },
    public_key,
    nowUnix() + 86_400,
  )
  const pending = await client.registerSignedKey({ signerUuid, appFid: app_fid, ...keyRequest })
  expect(pending).toMatchObject({ status: 'pending_approval', signer_approval_url: expect.any(String) })
  expect(await refusalOf(client.publishCast({ signerUuid, text: 'too early' }))).toEqual([
    403,
    'SignerNotApproved',
    'signer_uuid',
  ])
  await run.plaza([
    ...['signer', 'approve', options.byPage ? pending.signer_approval_url! : signerUuid],
    ...['--fid', `${user.fid}`, '--custody-key', user.custodyKey],
  ])
  await expect
    .poll(() => client.lookupSigner({ signerUuid }))
    .toMatchObject({ status: 'approved', fid: user.fid })
  return signerUuid
}

/** Creates accounts, an app with two keys, and signers, as a new developer would. */
export async function createParticipants(run: RecordedRun): Promise<Participants> {
  const [app, alice, bob] = [
    await createAccount(run, 'the app'),
    await createAccount(run, 'alice'),
    await createAccount(run, 'bob'),
  ]
  await run.plaza(['app', 'create', 'Reader', '--fid', `${app.fid}`])
  const [key, secondKey] = [
    await createKey(run, 'Reader', 'the API key'),
    await createKey(run, 'Reader', 'the second API key'),
  ]
  const client = connectClient(run.url, key)
  const base = { run, client, app }
  return {
    ...base,
    key,
    reader: connectClient(run.url, secondKey),
    otherApp: connectClient(run.url, await createKeyByAdmin(run)),
    alice,
    bob,
    aliceSigner: await askForSigner(base, alice, { byPage: false }),
    bobSigner: await askForSigner(base, bob, { byPage: true }),
  }
}

async function createKeyByAdmin(run: RecordedRun): Promise<string> {
  const callAdminApi = async (path: string, body: object) => {
    const headers = { authorization: `Bearer ${run.adminToken}`, 'content-type': 'application/json' }
    const reply = await fetch(`${run.url}/admin/${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    })
    expect(reply.status).toBe(201)
    return JSON.parse(await reply.text())
  }
  const { app } = await callAdminApi('apps', { name: 'Other' })
  const { key } = await callAdminApi(`apps/${app.id}/keys`, {})
  run.search.add('an API key of the admin API', key, key.replace('plaza_', ''))
  return key
}
