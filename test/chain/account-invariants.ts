import { idRegistryABI } from '@farcaster/core'
import { type Hex, parseEventLogs } from 'viem'
import { expect } from 'vitest'
import type { Wallet } from '../../src/features/accounts/wallets/wallets.js'
import type { Database } from '../../src/platform/db/connection.js'
import { hexOf } from '../../src/protocol/bytes.js'
import type { TestChain } from './test-chain.js'

/** A wallet and all that it received, in wei. */
export interface FundedWallet extends Wallet {
  funding: bigint
}

/** Checks what must hold between any two transactions of the database. */
export async function expectInvariants(db: Database, wallets: readonly FundedWallet[]): Promise<void> {
  const [fids] = await db<
    Record<'available' | 'held' | 'used' | 'registered' | 'unknown' | 'half', number>[]
  >`
    select
      count(*) filter (where used_at is null and (held_until is null or held_until <= now()))::integer as available,
      count(*) filter (where used_at is null and held_until > now())::integer as held,
      count(*) filter (where used_at is not null)::integer as used,
      (
        select count(distinct t.fid)::integer from accounts.transactions t
        where t.state = 'confirmed' and t.purpose like 'fid pool %'
      ) as registered,
      count(*) filter (
        where not exists (select from hub.onchain_events e where e.fid = s.fid and e.type = 3)
      )::integer as unknown,
      count(*) filter (
        where (used_at is not null) <> exists (
          select from accounts.registrations r where r.pool_entry_id = s.id and r.step <> 'undone'
        )
        -- One that has had a key is not used again.
        and not (used_at is not null and exists (select from hub.signers k where k.fid = s.fid))
      )::integer as half
    from accounts.fid_pool s
    where s.fid is not null`
  const { available, held, used, registered, unknown, half } = fids!
  expect(available + held + used).toBe(registered)
  expect({ unknown, half }).toEqual({ unknown: 0, half: 0 })
  const rows = await db<{ id: string; promised: string; ordered: number; used: number }[]>`
    select w.id,
      (
        select coalesce(sum(case when state = 'recorded' then max_cost else cost end), 0)::text
        from accounts.transactions t where t.wallet_id = w.id
      ) as promised,
      fids_ordered - (select count(*) from accounts.fid_pool o where o.paid_by = w.id) as ordered,
      fids_used - (select count(*) from accounts.fid_pool u where u.held_by = w.id and u.used_at is not null) as used
    from accounts.wallets w`
  for (const { id, promised, ...left } of rows) {
    expect(left).toEqual({ ordered: 0, used: 0 })
    const wallet = wallets.find((each) => each.id === id)
    if (wallet) expect(BigInt(promised) <= wallet.funding).toBe(true)
  }
}

/** Counts unfinished purchases, orders and registrations. */
export async function countOpen(db: Database): Promise<number> {
  const [row] = await db<{ open: number }[]>`
    select (select count(*) from accounts.transactions where state = 'recorded')::integer
      + (select count(*) from accounts.fid_pool where fid is null)::integer
      + (select count(*) from accounts.registrations where step not in ('done', 'undone'))::integer as open`
  return row!.open
}

interface FidPoolRow {
  readonly fid: number
  readonly address: Buffer
  readonly custody: Buffer
  readonly hasKey: boolean
  readonly isDone: boolean
}

/** Compares every fid, key and balance with the contracts, once nothing is open. */
export async function expectMatchesChain(
  chain: TestChain,
  db: Database,
  wallets: readonly FundedWallet[],
): Promise<void> {
  const logs = await chain.client.getLogs({ address: chain.addresses.idRegistry, fromBlock: 0n })
  const registered = parseEventLogs({ abi: idRegistryABI, logs, eventName: 'Register' })
  const rows = await db<FidPoolRow[]>`
    select s.fid, s.custody_address as address, coalesce(r.custody_address, s.custody_address) as custody,
      s.sealed_key is not null as "hasKey", r.id is not null as "isDone"
    from accounts.fid_pool s
    left join accounts.registrations r on r.pool_entry_id = s.id and r.step = 'done'`
  const stored = new Map(rows.map(({ address, fid }) => [hexOf(address), fid]))
  const onChain = registered.flatMap(({ args }) => {
    const to = args.to.toLowerCase() as Hex
    return stored.has(to) ? [`${to} ${args.id}`] : []
  })
  // A set: in one run of hundreds, reorganizations beside new transactions made anvil list a registration twice. One that was
  // paid for twice has two fids.
  expect(new Set(onChain)).toEqual(new Set(Array.from(stored, ([to, fid]) => `${to} ${fid}`)))
  const registry = { contract: 'IdRegistry', address: chain.addresses.idRegistry }
  for (const { fid, custody, hasKey, isDone } of rows) {
    const holder = await chain.read<string>({ ...registry, functionName: 'custodyOf', args: [BigInt(fid)] })
    expect([holder.toLowerCase(), hasKey]).toEqual([hexOf(custody), !isDone])
  }
  await expectKeys(db)
  for (const wallet of wallets) await expectAccount(chain, db, wallet)
}

/** A key is a signer exactly if its registration is done: no fid has a foreign key. */
async function expectKeys(db: Database): Promise<void> {
  const wrong = await db`
    select r.fid, r.step from accounts.registrations r
    where r.signer_key is not null and (r.step = 'done') <> exists (
      select from hub.signers s where s.fid = r.fid and s.key = r.signer_key and s.active
    )`
  expect(wrong).toEqual([])
}

async function expectAccount({ client }: TestChain, db: Database, wallet: FundedWallet): Promise<void> {
  const address = hexOf(wallet.address)
  const rows = await db<{ nonce: number; state: string; hash: Buffer; cost: string }[]>`
    select nonce, state, hash, cost::text as cost from accounts.transactions
    where wallet_id = ${wallet.id}
    order by nonce`
  expect(rows.map(({ nonce }) => nonce)).toEqual(rows.map((_, n) => n))
  expect(await client.getTransactionCount({ address })).toBe(rows.length)
  const receipts = await Promise.all(
    rows.map(({ hash }) => client.getTransactionReceipt({ hash: hexOf(hash) })),
  )
  const states = receipts.map(({ status }) => (status === 'success' ? 'confirmed' : 'reverted'))
  expect(rows.map(({ state }) => state)).toEqual(states)
  const spent = rows.reduce((sum, { cost }) => sum + BigInt(cost), 0n)
  expect(await client.getBalance({ address })).toBe(wallet.funding - spent)
}
