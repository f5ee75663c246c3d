import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { createTestDatabase } from '../../../../test/database.js'
import { createTestHub } from '../../../../test/hub.js'
import { testNowUnix } from '../../../../test/network.js'
import { createTestApi } from '../../../app/testing/test-api.js'
import type { Hub } from '../../../hub/hub.js'
import { PlazaError } from '../../../platform/errors.js'
import { silentLog } from '../../../platform/log/log.js'
import { FarcasterNetwork } from '../../../protocol/definitions.js'
import { testVault } from '../../signers/testing/approved-signer.js'
import { registerKeyHolder, signKeyRequestBody } from '../../signers/testing/key-holder.js'
import { AccountWorker } from '../account-worker.js'
import { createAccounts } from '../accounts.js'
import { LocalLedger } from '../ledger/local-ledger.js'
import { accountDetails } from '../registration/account-details.js'
import { findRegistration } from '../registration/registration.js'
import { countFidsByState } from '../testing/fid-counts.js'
import { fundedWallet } from '../testing/funded-wallet.js'
import { newAccount, registrationRequest } from '../testing/new-account.js'
import { passTime } from '../testing/pass-time.js'

const { db, connect } = await createTestDatabase()
const hub = await createTestHub(db)
const clock = () => testNowUnix * 1000
const deadline = testNowUnix + 3_600

/** Fails once, at a call that writes: before it is done, or after. */
function failingHub(failingCall: number, when: 'before' | 'after'): Hub {
  let calls = 0
  const failing =
    <Args extends readonly unknown[], Result>(write: (...args: Args) => Promise<Result>) =>
    async (...args: Args): Promise<Result> => {
      calls += 1
      if (calls !== failingCall) return await write(...args)
      if (when === 'after') await write(...args)
      throw new PlazaError('unavailable', 'the database is away')
    }
  return {
    ...hub,
    submit: failing(hub.submit),
    submitOnChainEvents: failing(hub.submitOnChainEvents),
    submitNameTransfers: failing(hub.submitNameTransfers),
  }
}

/** A registration writes four times: key, transfer, name, profile. */
const failures = [1, 2, 3, 4].flatMap((failingCall) => [
  { failingCall, when: 'before' as const },
  { failingCall, when: 'after' as const },
])

it.each(failures)(
  'what fails $when write $atCall is gone on with by the same request',
  async ({ failingCall, when }) => {
    const workingApi = await createTestApi({ db, hub, clock })
    const wallet = await fundedWallet(db, { appId: workingApi.appId, fidPoolSize: 0 })
    const headers = { 'x-wallet-id': wallet.id }
    const { fid } = (await workingApi.get('user/fid', {}, headers)).json()
    const body = {
      ...(await registrationRequest(newAccount(), { fid, deadline })),
      fname: `write-${failingCall}-${when}`,
      metadata: { bio: 'hello' },
    }
    const failingApi = await createTestApi({ db, hub: failingHub(failingCall, when), clock })
    const first = await failingApi.send('POST', 'user', body, headers)
    expect(first.statusCode).toBe(503)
    const again = await workingApi.send('POST', 'user', body, headers)
    expect(again.json()).toMatchObject({
      message: 'the account is registered',
      user: { fid, username: body.fname, profile: { bio: { text: 'hello' } } },
    })
    const purchases = await db<{ purpose: string }[]>`
    select purpose from accounts.transactions where wallet_id = ${wallet.id}`
    expect(purchases).toHaveLength(3)
    const { available, held, used, registered, bought } = await countFidsByState(db)
    expect([available + held + used, registered]).toEqual([registered, bought])
  },
)

it('the signer of an interrupted registration -> refused for another account', async () => {
  const api = await createTestApi({ db, hub, clock })
  const wallet = await fundedWallet(db, { appId: api.appId, fidPoolSize: 1 })
  const headers = { 'x-wallet-id': wallet.id }
  const { signer_uuid: uuid, public_key } = (await api.send('POST', 'signer', {})).json()
  const app = await registerKeyHolder({ db, hub, clock })
  const { signature, ...request } = await signKeyRequestBody(app, public_key, deadline)
  const signer = { uuid, ...request, signed_key_request_metadata_signature: signature }
  const newBody = async () => {
    const { fid } = (await api.get('user/fid', {}, headers)).json()
    return { ...(await registrationRequest(newAccount(), { fid, deadline })), signer }
  }
  const [first, second] = [await newBody(), await newBody()]
  const failingApi = await createTestApi({ db, hub: failingHub(1, 'before'), clock })
  expect((await failingApi.send('POST', 'user', first, headers)).statusCode).toBe(503)
  const refused = await api.send('POST', 'user', second, headers)
  expect([refused.statusCode, refused.json().property]).toEqual([409, 'signer.uuid'])
  const again = await api.send('POST', 'user', first, headers)
  expect(again.json()).toMatchObject({ signer: { signer_uuid: uuid, fid: first.fid } })
  // The fid of the refused one is not lost.
  const { signer: _, ...without } = second
  expect((await api.send('POST', 'user', without, headers)).statusCode).toBe(200)
})

it('an interrupted registration -> continued without a new request', async () => {
  const { appId } = await createTestApi({ db, hub, clock })
  const wallet = await fundedWallet(db, { appId, fidPoolSize: 1 })
  const headers = { 'x-wallet-id': wallet.id }
  const failingApi = await createTestApi({ db, hub: failingHub(3, 'before'), clock })
  const { fid } = (await failingApi.get('user/fid', {}, headers)).json()
  const body = { ...(await registrationRequest(newAccount(), { fid, deadline })), fname: 'left-alone' }
  expect((await failingApi.send('POST', 'user', body, headers)).statusCode).toBe(503)

  await passTime(db, 60_000)
  const ledger = new LocalLedger({ db, hub, clock })
  const details = accountDetails({
    writerDb: db,
    hub,
    vault: testVault,
    network: FarcasterNetwork.DEVNET,
    clock,
  })
  const worker = randomUUID()
  const accounts = createAccounts({
    db,
    vault: testVault,
    ledger,
    services: details,
    worker,
    clock,
    log: silentLog,
  })
  const lockDb = connect({ poolSize: 1 })
  const accountWorker = new AccountWorker({ db, lockDb, accounts, worker, log: silentLog })
  await accountWorker.start()
  const step = async () => (await findRegistration(db, fid))?.step
  await expect.poll(step).toBe('done')
  await accountWorker.stop()
  const [name] = await db`select fid from hub.username_proofs where name = 'left-alone'`
  expect(name).toEqual({ fid })
})
