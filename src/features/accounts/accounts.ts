import { Gauge, type Registry } from 'prom-client'
import type { Fragment } from '#postgres'
import type { Database } from '../../platform/db/connection.js'
import { countOf, writesTo } from '../../platform/db/fingerprint.js'
import { FidPool, type FidPoolOptions } from './fid-pool/fid-pool.js'
import { type PoolFidState, poolFidState } from './fid-pool/pool-fid-states.js'
import type { AccountLedger } from './ledger/account-ledger.js'
import { Registrar, type RegistrarOptions } from './registration/registrar.js'

/** Registers accounts that apps' wallets pay for. */
export interface Accounts {
  readonly ledger: AccountLedger
  readonly fidPool: FidPool
  readonly registrar: Registrar
}

/** Creates the fid pool and the registrar on top of it. */
export function createAccounts(options: FidPoolOptions & RegistrarOptions): Accounts {
  return { ledger: options.ledger, fidPool: new FidPool(options), registrar: new Registrar(options) }
}

/** Registers the gauge of the fid pool of a network. */
export function observeFidPool(registry: Registry, db: Database, network: string): void {
  new Gauge({
    name: 'plaza_fid_pool_size',
    help: 'Fids by state: ordered, available, held or used',
    labelNames: ['state'],
    registers: [registry],
    async collect() {
      this.reset()
      const counts = await countFids(db, network).catch(() => ({}))
      for (const [state, count] of Object.entries(counts)) this.set({ state }, count)
    },
  })
}

/** Registers the gauge of what wallets pay for and is unfinished, which indicates a problem when it stays. */
export function observePending(registry: Registry, db: Database): void {
  new Gauge({
    name: 'plaza_registrations_pending',
    help: 'Wallet transactions that are not final, and unfinished registrations',
    labelNames: ['kind'],
    registers: [registry],
    async collect() {
      this.reset()
      for (const { kind, count } of await countPending(db).catch(() => [])) this.set({ kind }, count)
    },
  })
}

/** Fids of the pool by state. */
export type FidCounts = { readonly [State in PoolFidState]?: number }

/** Counts the fids of a network's pool; states without a fid are left out. */
export async function countFids(db: Database, network: string): Promise<FidCounts> {
  const rows = await db<{ state: PoolFidState; count: number }[]>`
    select
      ${poolFidState(db)} as state,
      count(*)::integer as count
    from accounts.fid_pool
    where network = ${network}
    group by 1`
  return Object.fromEntries(rows.map(({ state, count }) => [state, count]))
}

async function countPending(db: Database): Promise<{ kind: string; count: number }[]> {
  return await db<{ kind: string; count: number }[]>`
    select 'transactions' as kind, count(*)::integer as count from accounts.transactions where state = 'recorded'
    union all
    select 'registrations', (
      (select count(*) from accounts.registrations where step not in ('done', 'undone'))
      + (select count(*) from accounts.direct_registrations where finished_at is null)
    )::integer`
}

/** Expressions that differ when transactions, registrations, wallets or the fid pool have changed. */
export function accountsFingerprint(db: Database): Fragment {
  return db`
    (select max(id) from accounts.transactions),
    ${countOf(db, db`accounts.transactions where state = 'recorded'`)},
    ${countOf(db, db`accounts.registrations where step not in ('done', 'undone')`)},
    ${countOf(db, db`accounts.direct_registrations where finished_at is null`)},
    ${writesTo(db, [
      'accounts.transactions',
      'accounts.registrations',
      'accounts.direct_registrations',
      'accounts.wallets',
      'accounts.fid_pool',
    ])}`
}
