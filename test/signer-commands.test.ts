import { expect, it } from 'vitest'
import { createTestApi } from '../src/app/testing/test-api.js'
import { registerKeyHolder, signKeyRequestBody } from '../src/features/signers/testing/key-holder.js'
import { ethAccount, newPrivateKey } from '../src/hub/registry/eth-account.js'
import { hexOf } from '../src/protocol/bytes.js'
import { createTestDatabase } from './database.js'
import { createTestHub } from './hub.js'
import { createDataDir, runCommand } from './server-process.js'

// Each command is a process that loads its modules.
const { db, url } = await createTestDatabase()
const parts = { db, hub: await createTestHub(db, { clock: Date.now }), clock: Date.now }
const api = await createTestApi(parts)
const app = await registerKeyHolder(parts)
const userKey = newPrivateKey()
const user = await registerKeyHolder(parts, ethAccount(userKey))
const holder = ['--fid', String(user.fid), '--custody-key', hexOf(userKey)]

async function runCli(args: string[], code = 0): Promise<string> {
  const command = await runCommand(args, { dataDir: await createDataDir(), env: { DATABASE_URL: url } })
  expect(await command.ended, command.output()).toMatchObject({ code })
  return command.output()
}

async function request() {
  const { signer_uuid, public_key } = (await api.send('POST', 'signer', {})).json()
  const keyRequest = await signKeyRequestBody(app, public_key, Math.floor(Date.now() / 1000) + 3_600)
  const { signer_approval_url } = (
    await api.send('POST', 'signer/signed_key', { signer_uuid, ...keyRequest })
  ).json()
  const readSigner = async () => (await api.get('signer', { signer_uuid })).json()
  return { signer_uuid, public_key, url: signer_approval_url as string, readSigner }
}

it('a request is approved by signer_uuid and refused by the URL of its page', async () => {
  const [one, other] = [await request(), await request()]
  expect(
    await runCli([
      'signer',
      'approve',
      one.signer_uuid,
      ...holder,
      '--permissions',
      'PUBLISH_CAST, FOLLOW_USER',
    ]),
  ).toBe(`${one.public_key} acts for fid ${user.fid}\n`)
  expect(await one.readSigner()).toMatchObject({
    status: 'approved',
    fid: user.fid,
    permissions: ['PUBLISH_CAST', 'FOLLOW_USER'],
  })
  const refused = JSON.parse(await runCli(['signer', 'refuse', other.url, ...holder, '--json']))
  expect(refused).toEqual({ key: other.public_key, fid: user.fid, status: 'revoked' })
  expect(await other.readSigner()).toMatchObject({ status: 'revoked' })
})

it('another key than that of the account cannot approve', async () => {
  const { url, readSigner } = await request()
  const stranger = ['--fid', String(user.fid), '--custody-key', hexOf(newPrivateKey())]
  expect(await runCli(['signer', 'approve', url, ...stranger], 1)).toMatch(/^plaza: signature must be by 0x/)
  expect(await readSigner()).toMatchObject({ status: 'pending_approval' })
})
