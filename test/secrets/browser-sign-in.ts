import { expect } from 'vitest'
import { ethAccount } from '../../src/hub/registry/eth-account.js'
import { bytesOf, type Participants } from './participants.js'

/**
 * Stores the custody key of the app, and signs the app's own account in on the login page. The server signs the
 * request for its signer with that key.
 */
export async function signInWithBrowser({ run, app, key }: Participants): Promise<void> {
  async function post(path: string, body: object, headers: Readonly<Record<string, string>> = {}) {
    const reply = await fetch(`${run.url}/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })
    const json = JSON.parse(await reply.text())
    expect([path, reply.status, json]).toMatchObject([path, 200, {}])
    return json
  }
  const portal = await fetch(`${run.url}/portal/app_by_api_key`, { headers: { 'x-api-key': key } })
  const { app_uuid: client_id } = JSON.parse(await portal.text())
  const custodyKey = { custody_key: app.custodyKey }
  const authorization = `Bearer ${run.adminToken}`
  await post(`admin/apps/${client_id}/custody_key`, custodyKey, { authorization })

  const { signer } = ethAccount(bytesOf(app.custodyKey))
  const { session, message } = await post('login/session', { client_id, address: signer.address })
  run.search.add('a session of the login page', session)
  const { approval } = await post('login/proof', {
    session,
    signature: await signer.signMessage({ message }),
  })
  await run.plaza([
    ...['signer', 'approve', `${run.url}/approve/${approval}`],
    ...['--fid', `${app.fid}`, '--custody-key', app.custodyKey],
  ])
  const { payload } = await post('login/result', { session })
  expect(payload).toMatchObject({ is_authenticated: true, fid: String(app.fid), user: { fid: app.fid } })
}
