import { Gauge, type Registry } from 'prom-client'
import type { Database } from '../../platform/db/connection.js'
import { FidPool, type FidPoolOptions } from './fid-pool/fid-pool.js'
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

/** Registers gauges of the fid pool and of unfinished work, which indicates a problem when it stays. */
export function observeAccounts(registry: Registry, db: Database, network: string): void {
  const registers = [registry]
  new Gauge({
    name: 'plaza_fid_pool_size',
    help: 'Fids by state: ordered, available, held or used',
    labelNames: ['state'],
    registers,
    async collect() {
      this.reset()
      for (const { state, count } of await countFids(db, network).catch(() => [])) this.set({ state }, count)
    },
  })
  new Gauge({
    name: 'plaza_registrations_pending',
    help: 'Wallet transactions that are not final, and unfinished registrations',
    labelNames: ['kind'],
    registers,
    async collect() {
      this.reset()
      for (const { kind, count } of await countPending(db).catch(() => [])) this.set({ kind }, count)
    },
  })
}

async function countFids(db: Database, network: string): Promise<{ state: string; count: number }[]> {
  return await db<{ state: string; count: number }[]>`
    select
      case
        when fid is null then 'ordered'
        when used_at is not null then 'used'
        when held_until > now() then 'held'
        else 'available'
      end as state,
      count(*)::integer as count
    from accounts.fid_pool
    where network = ${network}
    group by 1`
}

async function countPending(db: Database): Promise<{ kind: string; count: number }[]> {
  return await db<{ kind: string; count: number }[]>`
    select 'transactions' as kind, count(*)::integer as count from accounts.transactions where state = 'recorded'
    union all
    select 'registrations', count(*)::integer from accounts.registrations where step not in ('done', 'undone')`
}
