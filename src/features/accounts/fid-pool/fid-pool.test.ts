import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createTestDatabase } from '../../../../test/database.js'
import { createTestHub } from '../../../../test/hub.js'
import { testNowUnix } from '../../../../test/network.js'
import { PlazaError } from '../../../platform/errors.js'
import { silentLog } from '../../../platform/log/log.js'
import { testVault } from '../../signers/testing/approved-signer.js'
import { LocalLedger } from '../ledger/local-ledger.js'
import { readRegistration, releaseFid } from '../registration/registration.js'
import { countFidsByState } from '../testing/fid-counts.js'
import { fundedWallet, LOCAL_PRICE } from '../testing/funded-wallet.js'
import { passTime } from '../testing/pass-time.js'
import type { Wallet } from '../wallets/wallets.js'
import { FidPool, type FidPoolOptions } from './fid-pool.js'

const { db } = await createTestDatabase({ poolSize: 8 })
const hub = await createTestHub(db)
const clock = () => testNowUnix * 1000
const ledger = () => new LocalLedger({ db, hub, clock })
const pools: FidPool[] = []
/** A pool as another process would create it. */
function createPool(options: Partial<FidPoolOptions> = {}): FidPool {
  const createdPools = new FidPool({
    db,
    vault: testVault,
    ledger: ledger(),
    clock,
    log: silentLog,
    ...options,
  })
  pools.push(createdPools)
  return createdPools
}
/** A pool that replaces each taken fid, as servers do. */
function server(): FidPool {
  const onTaken = (walletId: string) => void createdPools.fill(walletId).catch(() => {})
  const createdPools: FidPool = createPool({ onTaken })
  return createdPools
}
const idle = () => Promise.all(pools.map((each) => each.idle()))
const MINUTE_MS = 60_000
const HOLD_MS = 10 * MINUTE_MS
const inMs = (ms: number) => performance.now() + ms

/** A ledger that buys when it is released. */
function heldLedger() {
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  const held = ledger()
  const buy = held.buy.bind(held)
  held.buy = (purchase) => released.then(() => buy(purchase))
  return { ledger: held, release }
}

/** A ledger of a network that says nothing but what it is asked again. */
function slowLedger(): LocalLedger {
  const slow = ledger()
  const quote = slow.quote.bind(slow)
  slow.quote = (payer, call, age?: string) => (age === 'recent' ? new Promise(() => {}) : quote(payer, call))
  return slow
}

const balanceOf = async ({ id }: Wallet) => {
  const [row] = await db<{ balance: string }[]>`
    select balance::text as balance from accounts.wallets where id = ${id}`
  return BigInt(row!.balance)
}

async function clearPools(): Promise<void> {
  await idle()
  await db`truncate accounts.wallets cascade`
}

it('take: fifty concurrent calls -> fifty distinct fids, each paid once', async () => {
  await clearPools()
  const wallet = await fundedWallet(db, { balance: 60n * LOCAL_PRICE })
  const [one, other] = [createPool(), createPool()]
  const fids = await Promise.all(
    Array.from({ length: 50 }, (_, n) => (n % 2 === 0 ? one : other).take(wallet, inMs(300_000))),
  )
  expect(new Set(fids).size).toBe(50)
  await idle()
  // The last caller leaves a gap, which the next fill closes.
  await one.fill(wallet.id)
  const tally = await countFidsByState(db)
  expect(tally).toEqual({ available: 1, held: 50, used: 0, registered: 51, bought: 51 })
  expect(await balanceOf(wallet)).toBe(9n * LOCAL_PRICE)
})

it('take: an unused fid goes to the next caller after ten minutes at no cost', async () => {
  await clearPools()
  const [first, second] = [
    await fundedWallet(db, { fidPoolSize: 0 }),
    await fundedWallet(db, { fidPoolSize: 0 }),
  ]
  const fid = await createPool().take(first)
  await passTime(db, HOLD_MS - MINUTE_MS)
  expect(await createPool().take(second)).not.toBe(fid)
  await passTime(db, MINUTE_MS)
  expect(await createPool().take(first)).toBe(fid)
  await idle()
  expect(await balanceOf(first)).toBe(99n * LOCAL_PRICE)
  await passTime(db, HOLD_MS)
  const [again] = await Promise.all([createPool().take(second), createPool().take(second)])
  expect(again).toBeGreaterThan(0)
  await idle()
  expect((await countFidsByState(db)).bought).toBe(2)
})

/** Uses the fid in a registration that ends undone, with a transaction of it that ended like this. */
async function undoRegistration(wallet: Wallet, fid: number, state: 'confirmed' | 'reverted'): Promise<void> {
  const id = randomUUID()
  await db`update accounts.wallets set fids_used = fids_used + 1 where id = ${wallet.id}`
  await db`
    with used as (update accounts.fid_pool set used_at = now() where fid = ${fid} returning id)
    insert into accounts.registrations (
      id, fid, pool_entry_id, wallet_id, app_id, digest, custody_address, signature, deadline, step, undone_by, accepted_at,
      attempted_at
    )
    select ${id}, ${fid}, used.id, w.id, w.app_id, '', '', '', 0, 'undoing', 'conflict', now(), now()
    from used, accounts.wallets w
    where w.id = ${wallet.id}`
  await db`
    insert into accounts.transactions (wallet_id, purpose, nonce, state, max_cost)
    select ${wallet.id}, ${`registration ${id} key`}, 1000000 + count(*), ${state}, 0 from accounts.transactions`
  await releaseFid(db, await readRegistration(db, id))
}

it('take: what a reverted transaction has shown of a signature is of no use with the fid of another', async () => {
  await clearPools()
  const wallet = await fundedWallet(db, { fidPoolSize: 0 })
  const take = async () => await createPool().take(wallet)
  const nextDay = () => passTime(db, 26 * 60 * MINUTE_MS)
  const unharmed = await take()
  await undoRegistration(wallet, unharmed, 'confirmed')
  await passTime(db, HOLD_MS)
  expect(await take()).toBe(unharmed)

  await undoRegistration(wallet, unharmed, 'reverted')
  await passTime(db, HOLD_MS)
  const other = await take()
  expect(other).not.toBe(unharmed)
  await nextDay()
  expect(await take()).toBe(unharmed)

  const [withKey, withOwner] = [unharmed, other]
  await db`
    insert into hub.signers (fid, key, key_type, active, block_number, log_index, event)
    values (${withKey}, '\\x01', 1, false, 1, 1, '')`
  await db`update hub.fids set custody_address = '\\x02' where fid = ${withOwner}`
  await nextDay()
  expect([withKey, withOwner]).not.toContain(await take())
})

it('take: a fid that is lost counts for the wallet that lost it, whoever had paid for it', async () => {
  await clearPools()
  const [payer, loser] = [
    await fundedWallet(db, { fidPoolSize: 1 }),
    await fundedWallet(db, { fidPoolSize: 0 }),
  ]
  const pool = createPool()
  await pool.fill(payer.id)
  const lost = await pool.take(loser)
  await undoRegistration(loser, lost, 'reverted')
  await db`update hub.fids set custody_address = '\\x02' where fid = ${lost}`
  await passTime(db, 26 * 60 * MINUTE_MS)
  const counts = async () => [
    ...(await db`
      select fids_ordered, fids_used from accounts.wallets where id in (${payer.id}, ${loser.id})
      order by id = ${loser.id}`),
  ]
  for (const { id } of [payer, loser]) await pool.fill(id)
  expect(await counts()).toEqual([
    { fids_ordered: 1, fids_used: 0 },
    { fids_ordered: 1, fids_used: 1 },
  ])
  expect(await pool.take(loser)).not.toBe(lost)
  await pool.fill(loser.id)
  expect((await counts())[1]).toEqual({ fids_ordered: 2, fids_used: 1 })
})

it('take: a fid whose storage ends goes to nobody, and is replaced at the expense of the wallet that paid for it', async () => {
  await clearPools()
  const [payer, taker] = [
    await fundedWallet(db, { fidPoolSize: 1 }),
    await fundedWallet(db, { fidPoolSize: 0 }),
  ]
  await createPool().fill(payer.id)
  const kept = await createPool().take(taker)
  await passTime(db, HOLD_MS)
  const monthsLater = (months: number) => () => clock() + months * 30 * 24 * 60 * MINUTE_MS
  const poolIn = (months: number) => {
    const later = monthsLater(months)
    return createPool({ clock: later, ledger: new LocalLedger({ db, hub, clock: later }) })
  }
  expect(await poolIn(10).dueWallets()).toEqual([])
  expect(await poolIn(10).take(taker)).toBe(kept)
  await passTime(db, HOLD_MS)

  const late = poolIn(13)
  // A clock that is wrong by months makes nobody pay.
  expect(await late.dueWallets()).toEqual([])
  await db`update accounts.fid_pool set ordered_at = ordered_at - interval '390 days'`
  expect(await late.dueWallets()).toEqual([payer.id])
  const other = await late.take(taker)
  expect(other).not.toBe(kept)
  await late.fill(payer.id)
  expect(await late.dueWallets()).toEqual([])
  expect(await countFidsByState(db)).toEqual({ available: 1, held: 1, used: 1, registered: 3, bought: 3 })
  const counts = await db`
    select fids_ordered, fids_used from accounts.wallets where id in (${payer.id}, ${taker.id})
    order by id = ${taker.id}`
  expect([...counts]).toEqual([
    { fids_ordered: 2, fids_used: 1 },
    { fids_ordered: 1, fids_used: 0 },
  ])
})

it('take: servers whose clocks are an hour apart give no fid to two callers', async () => {
  await clearPools()
  const wallets = [
    await fundedWallet(db, { fidPoolSize: 1 }),
    await fundedWallet(db, { fidPoolSize: 1 }),
  ] as const
  const ahead = createPool({ clock: () => clock() + 60 * MINUTE_MS })
  const behind = createPool({ clock: () => clock() - 60 * MINUTE_MS })
  const fids: number[] = []
  for (const pool of [behind, ahead, behind, ahead]) {
    for (const wallet of wallets) fids.push(await pool.take(wallet))
  }
  expect(new Set(fids).size).toBe(8)
  await idle()
  await passTime(db, HOLD_MS)
  expect(fids).toContain(await ahead.take(wallets[0]))
  expect(fids).toContain(await behind.take(wallets[1]))
})

it('take: a wallet that cannot pay for a replacement -> insufficient_funds', async () => {
  await clearPools()
  const wallet = await fundedWallet(db, { balance: 2n * LOCAL_PRICE, fidPoolSize: 0 })
  const answers = await Promise.allSettled(Array.from({ length: 5 }, () => createPool().take(wallet)))
  const refused = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason] : []))
  expect(refused.length).toBeGreaterThanOrEqual(3)
  for (const reason of refused) {
    expect(reason).toBeInstanceOf(PlazaError)
    expect(reason.code).toBe('insufficient_funds')
  }
  await idle()
  expect(await balanceOf(wallet)).toBeGreaterThanOrEqual(0n)
})

it('take: a caller without time left gets no fid, and none is ordered for it', async () => {
  await clearPools()
  const wallet = await fundedWallet(db)
  await createPool().fill(wallet.id)
  await expect(createPool().take(wallet, inMs(-1))).rejects.toMatchObject({ code: 'unavailable' })
  await idle()
  expect(await countFidsByState(db)).toMatchObject({ available: 1, held: 0, bought: 1 })
})

it('take: a fid that is registered when the time of its caller is over goes to the next one', async () => {
  await clearPools()
  const wallet = await fundedWallet(db, { fidPoolSize: 0 })
  const { ledger, release } = heldLedger()
  const pool = createPool({ ledger })
  await expect(pool.take(wallet, inMs(5_000))).rejects.toMatchObject({ code: 'unavailable' })
  release()
  await idle()
  expect(await countFidsByState(db)).toMatchObject({ available: 1, held: 0, bought: 1 })
  await pool.fill(wallet.id)
  expect(await pool.take(wallet)).toBeGreaterThan(0)
  expect(await countFidsByState(db)).toMatchObject({ available: 0, held: 1, bought: 1 })
})

it('take: a network that answers when the time of the caller is over -> no fid is held', async () => {
  await clearPools()
  const wallet = await fundedWallet(db)
  await createPool().fill(wallet.id)
  const taken = createPool({ ledger: slowLedger() }).take(wallet, inMs(100))
  await expect(taken).rejects.toMatchObject({ code: 'unavailable' })
  expect(await countFidsByState(db)).toMatchObject({ available: 1, held: 0 })
})

it('fill: replaces fids whose taker died before replacing them', async () => {
  await clearPools()
  const wallet = await fundedWallet(db, { fidPoolSize: 2 })
  await createPool().take(wallet)
  await idle()
  await createPool().fill(wallet.id)
  expect(await countFidsByState(db)).toMatchObject({ available: 2, held: 1 })
})

const action = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('take' as const),
      wallet: fc.nat(2),
      times: fc.integer({ min: 1, max: 6 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('fill' as const), wallet: fc.nat(2) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('wait' as const),
      ms: fc.constantFrom(1_000, HOLD_MS / 2, HOLD_MS),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('use' as const) }) },
)

it('fid pool: available, held and used fids match the payments at every step', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(action, { minLength: 1, maxLength: 8 }),
      fc.array(fc.nat(8), { minLength: 3, maxLength: 3 }),
      async (actions, funds) => {
        await clearPools()
        const wallets = await Promise.all(
          funds.map((count, n) => fundedWallet(db, { balance: BigInt(count) * LOCAL_PRICE, fidPoolSize: n })),
        )
        for (const step of actions) {
          if (step.kind === 'take') {
            await Promise.allSettled(
              // A caller who waits for unaffordable fids gives up soon.
              Array.from({ length: step.times }, () => server().take(wallets[step.wallet]!, inMs(2_000))),
            )
          } else if (step.kind === 'fill') await createPool().fill(wallets[step.wallet]!.id)
          else if (step.kind === 'wait') await passTime(db, step.ms)
          else await useOne()
          await idle()
          const tally = await countFidsByState(db)
          expect(tally.available + tally.held + tally.used).toBe(tally.registered)
          expect(tally.registered).toBe(tally.bought)
          for (const [n, wallet] of wallets.entries()) {
            expect(await balanceOf(wallet)).toBe(BigInt(funds[n]!) * LOCAL_PRICE - (await spentBy(wallet)))
          }
        }
      },
    ),
    { numRuns: 12 },
  )
})

async function spentBy({ id }: Wallet): Promise<bigint> {
  const [row] = await db<{ spent: string }[]>`
    select coalesce(sum(cost), 0)::text as spent from accounts.transactions where wallet_id = ${id}`
  return BigInt(row!.spent)
}

/** Registers one of the held fids. */
async function useOne(): Promise<void> {
  await db`
    with used as (
      update accounts.fid_pool set used_at = now()
      where id = (
        select id from accounts.fid_pool where used_at is null and held_until > now() limit 1
      )
      returning held_by
    )
    update accounts.wallets set fids_used = fids_used + 1 where id in (select held_by from used)`
}

it('take: orders that waited for money run for the first caller after funding', async () => {
  await clearPools()
  const wallet = await fundedWallet(db, { balance: LOCAL_PRICE, fidPoolSize: 3 })
  await createPool().take(wallet)
  await idle()
  expect(await countFidsByState(db)).toMatchObject({ held: 1, available: 0, bought: 1 })
  await expect(createPool().take(wallet)).rejects.toMatchObject({ code: 'insufficient_funds' })
  await db`update accounts.wallets set balance = ${String(9n * LOCAL_PRICE)}::numeric where id = ${wallet.id}`
  await createPool().take(wallet)
  await idle()
  expect(await countFidsByState(db)).toMatchObject({ held: 2 })
})
