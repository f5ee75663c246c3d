import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { createTestDatabase } from '../../../../test/database.js'
import { createTestHub } from '../../../../test/hub.js'
import { testNowUnix } from '../../../../test/network.js'
import type { Database } from '../../../platform/db/connection.js'
import { takeWorkerLock } from '../../../platform/db/worker-lock.js'
import { PlazaError } from '../../../platform/errors.js'
import { silentLog } from '../../../platform/log/log.js'
import { bytesOfHex } from '../../../protocol/bytes.js'
import { testVault } from '../../signers/testing/approved-signer.js'
import { createAccounts } from '../accounts.js'
import { LocalLedger } from '../ledger/local-ledger.js'
import { fundedWallet } from '../testing/funded-wallet.js'
import { newAccount, registrationRequest } from '../testing/new-account.js'
import { passTime } from '../testing/pass-time.js'
import { acceptRegistration, findAbandonedRegistrations, readRegistration } from './registration.js'

const { db, connect } = await createTestDatabase({ poolSize: 6 })
const hub = await createTestHub(db)
const clock = () => testNowUnix * 1000
const deadline = testNowUnix + 3_600

/** A statement that fails once: before it runs, or after. */
function failingOnce(part: string, when: 'before' | 'after'): Database {
  let isDue = true
  return new Proxy(db, {
    apply(target, self, args) {
      const statement = () => Reflect.apply(target as typeof db, self, args as [string])
      if (!isDue || !String(args[0]).includes(part)) return statement()
      isDue = false
      const away = new PlazaError('unavailable', 'the database is away')
      return (when === 'before' ? Promise.resolve() : statement()).then(() => Promise.reject(away))
    },
  })
}

/** The accounts of a process that lives. Its ledger is away for the first purchase of a registration. */
async function startProcess(flakyDb: Database, answers = Promise.resolve()) {
  const worker = randomUUID()
  await takeWorkerLock(connect({ poolSize: 1 }), worker)
  const ledger = new LocalLedger({ db, hub, clock })
  const buy = ledger.buy.bind(ledger)
  let isAway = true
  ledger.buy = async (purchase) => {
    if (!isAway || !purchase.purpose.startsWith('registration')) return await buy(purchase)
    isAway = false
    await answers
    throw new PlazaError('unavailable', 'the database is away')
  }
  const { fidPool, registrar } = createAccounts({
    db: flakyDb,
    vault: testVault,
    ledger,
    services: { assignName: async () => null, publishProfile: async () => [] },
    worker,
    clock,
    log: silentLog,
  })
  const findAbandoned = (by = worker) =>
    findAbandonedRegistrations(db, { worker: by, running: registrar.running, idleMs: 30_000, limit: 10 })
  return { fidPool, registrar, worker, findAbandoned }
}

type Process = Awaited<ReturnType<typeof startProcess>>

/** Accepts the registration of a new account. */
async function accept({ fidPool }: Process): Promise<string> {
  const wallet = await fundedWallet(db, { fidPoolSize: 0 })
  const fid = await fidPool.take(wallet)
  await fidPool.idle()
  const request = await registrationRequest(newAccount(), { fid, deadline })
  return await acceptRegistration(db, {
    fid,
    walletId: wallet.id,
    appId: wallet.appId,
    digest: Buffer.alloc(32),
    custodyAddress: bytesOfHex(request.requested_user_custody_address),
    signature: bytesOfHex(request.signature),
    deadline,
    fname: null,
    profile: null,
    signer: null,
  })
}

it.each([
  ['could not be released', 'set worker = null', 'before'],
  ['was taken but not confirmed', 'set worker = ', 'after'],
] as const)(
  'a registration whose claim %s is continued by the process that holds it',
  async (_case, part, when) => {
    const process = await startProcess(failingOnce(part, when))
    const id = await accept(process)
    await expect(process.registrar.complete(id)).rejects.toMatchObject({ code: 'unavailable' })
    expect(await db`select worker from accounts.registrations where id = ${id}`).toEqual([
      { worker: process.worker },
    ])
    expect(await process.findAbandoned()).toEqual([])
    await passTime(db, 60_000)
    expect(await process.findAbandoned(randomUUID())).toEqual([])
    expect(await process.findAbandoned()).toEqual([id])
    // Its ledger was not asked yet where the claim itself failed.
    await process.registrar.complete(id).catch(() => process.registrar.complete(id))
    expect(await readRegistration(db, id)).toMatchObject({ step: 'done' })
  },
)

it('a registration that this process runs is not found, however long it takes', async () => {
  let answer = () => {}
  const answers = new Promise<void>((resolve) => {
    answer = resolve
  })
  const process = await startProcess(db, answers)
  const id = await accept(process)
  const running = process.registrar.complete(id)
  const isClaimed = async () => {
    const claimed =
      await db`select from accounts.registrations where id = ${id} and worker = ${process.worker}`
    return claimed.length > 0
  }
  await expect.poll(isClaimed).toBe(true)
  await passTime(db, 60_000)
  expect(await process.findAbandoned()).toEqual([])
  answer()
  await expect(running).rejects.toMatchObject({ code: 'unavailable' })
})
