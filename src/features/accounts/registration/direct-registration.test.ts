import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { createTestDatabase } from '../../../../test/database.js'
import { createTestHub } from '../../../../test/hub.js'
import { testKey } from '../../../../test/network.js'
import { registerKeyHolder } from '../../signers/testing/key-holder.js'
import { LocalLedger } from '../ledger/local-ledger.js'
import { insufficientFunds } from '../ledger/transactions.js'
import { checkDirect } from '../routes/check-direct.js'
import { directRequest } from '../testing/direct-request.js'
import { fundedWallet } from '../testing/funded-wallet.js'
import { newAccount } from '../testing/new-account.js'
import { passTime } from '../testing/pass-time.js'
import {
  acceptDirectRegistration,
  findAbandonedDirectRegistrations,
  retryDirectRegistration,
  runDirectRegistration,
} from './direct-registration.js'

const { db } = await createTestDatabase()
const clock = Date.now
const hub = await createTestHub(db, { clock })
const app = await registerKeyHolder({ db, hub, clock })
const wallet = await fundedWallet(db)
const HOUR_SECONDS = 3_600
const PAUSE_MS = 30_000

/** A ledger whose wallets have funds for so many purchases. */
function fundedLedger(purchases: number, clockOfChain = clock) {
  const ledger = new LocalLedger({ db, hub, clock: clockOfChain })
  const buy = ledger.buy.bind(ledger)
  const state = { ledger, left: purchases, refused: 0 }
  ledger.buy = async (purchase) => {
    if (state.left === 0) {
      state.refused += 1
      return insufficientFunds(2n, 1n)
    }
    state.left -= 1
    return await buy(purchase)
  }
  return state
}

/** Accepts the registration of a new account with a key. @param expiresIn Seconds until its signatures expire. */
async function accept(ledger: LocalLedger, expiresIn: number): Promise<string> {
  const nowUnix = Math.floor(clock() / 1000)
  const body = await directRequest(newAccount(), {
    app,
    keys: [testKey(randomUUID())],
    deadline: nowUnix + expiresIn,
  })
  const calls = await checkDirect(ledger, body, Math.min(nowUnix, nowUnix + expiresIn - HOUR_SECONDS))
  const name = randomUUID()
  const { appId, id: walletId } = wallet
  return await acceptDirectRegistration(db, { appId, walletId, name, digest: Buffer.alloc(32), calls })
}

/** Lets time pass as a worker sees it, which looks for work all the time. */
async function work(ledger: LocalLedger, seconds: number): Promise<void> {
  for (let ms = 0; ms < seconds * 1000; ms += PAUSE_MS) {
    await passTime(db, PAUSE_MS)
    for (const id of await findAbandonedDirectRegistrations(db, { idleMs: PAUSE_MS, limit: 10 })) {
      await retryDirectRegistration({ db, ledger }, id).catch(() => {})
    }
  }
}

const rowOf = async (id: string) => {
  const [row] = await db`
    select done, finished_at is not null as is_finished, problems from accounts.direct_registrations where id = ${id}`
  return row
}

it('a registration whose wallet lacks funds is tried ever less often, and continues when it has them', async () => {
  const funds = fundedLedger(0)
  const id = await accept(funds.ledger, 10 * HOUR_SECONDS)
  await work(funds.ledger, HOUR_SECONDS)
  expect(funds.refused).toBeGreaterThan(3)
  expect(funds.refused).toBeLessThan(10)
  expect(await rowOf(id)).toMatchObject({ done: 0 })
  funds.left = 2
  // The same request, sent again, waits for no retry.
  expect(await runDirectRegistration({ db, ledger: funds.ledger }, id)).toMatchObject({
    done: 2,
    problems: [],
  })
})

it('a registration whose wallet lacks funds until its signature has expired is gone, and its name is free', async () => {
  const funds = fundedLedger(0)
  const id = await accept(funds.ledger, -HOUR_SECONDS)
  await work(funds.ledger, HOUR_SECONDS)
  expect(funds.refused).toBe(1)
  expect(await rowOf(id)).toBeUndefined()
})

it('a key whose signature has expired while the wallet lacked funds is left out of the account', async () => {
  const { ledger } = fundedLedger(1, () => clock() - 2 * HOUR_SECONDS * 1000)
  const id = await accept(ledger, -HOUR_SECONDS)
  await work(ledger, HOUR_SECONDS)
  expect(await rowOf(id)).toEqual({
    done: 2,
    is_finished: true,
    problems: [expect.stringContaining('signer 1 was not added')],
  })
})
