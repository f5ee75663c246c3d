import type { Hub } from '../../../hub/hub.js'
import { type EventPosition, transactionHash } from '../../../hub/registry/local-chain.js'
import { signerState } from '../../../hub/registry/registry.js'
import { nextBlockNumber, withRegistryLock } from '../../../hub/registry/registry-lock.js'
import type { Database, Queryable, Transaction } from '../../../platform/db/connection.js'
import { isRefusal, type Refusal } from '../../../platform/errors.js'
import { OnChainEvent } from '../../../protocol/definitions.js'
import type {
  AccountCall,
  AccountLedger,
  NonceContract,
  Payer,
  PricedCall,
  Purchase,
  PurchaseQuote,
  Receipt,
} from './account-ledger.js'
import { executeLocally, fidHeldBy, type LocalCallResult, localNonce } from './local-contracts.js'
import {
  applySettlement,
  findTransaction,
  insufficientFunds,
  pendingTransactions,
  receiptOf,
  requireTimeLeft,
  type TransactionRow,
  transactionColumns,
} from './transactions.js'

/** Dependencies of a local ledger. */
export interface LocalLedgerOptions {
  readonly db: Database
  readonly hub: Pick<Hub, 'submitOnChainEvents'>
  /** Unix milliseconds. */
  readonly clock: () => number
}

/** Network of wallets whose money is in the database. */
export const LOCAL_NETWORK = 'local'

/** Prices in wei, close to the real chain's: a storage unit for a year, and a transaction fee. */
const UNIT_PRICE = 80_000_000_000_000n
const FEE = 2_000_000_000_000n

/** Returns a local wallet's balance in wei; recorded purchases are deducted already. */
export async function localBalance(db: Queryable, { id }: Pick<Payer, 'id'>): Promise<bigint> {
  const [row] = await db<{ balance: string }[]>`
    select coalesce(balance, 0)::text as balance from accounts.wallets where id = ${id}`
  return BigInt(row?.balance ?? 0)
}

/**
 * Registers and charges on the local network.
 *
 * A purchase is recorded with its events in the transaction that charges it; then the events are merged,
 * which is idempotent.
 */
export class LocalLedger implements AccountLedger {
  readonly network = LOCAL_NETWORK
  readonly #options: LocalLedgerOptions

  constructor(options: LocalLedgerOptions) {
    this.#options = options
  }

  async priceOf({ kind, extraUnits = 0, units = 0 }: PricedCall): Promise<bigint> {
    return FEE + UNIT_PRICE * BigInt(kind === 'register' ? 1 + extraUnits : units)
  }

  available(db: Queryable, payer: Payer): Promise<bigint> {
    return localBalance(db, payer)
  }

  async quote(payer: Payer, call: Pick<AccountCall, 'kind'>): Promise<PurchaseQuote> {
    return { price: await this.priceOf(call), available: (db) => localBalance(db, payer) }
  }

  nonceOf(contract: NonceContract, address: Buffer): Promise<bigint> {
    return localNonce(this.#options.db, contract, address)
  }

  fidOf(address: Buffer): Promise<number | null> {
    return fidHeldBy(this.#options.db, address)
  }

  async hasKey(fid: number, key: Buffer): Promise<boolean> {
    return (await signerState(this.#options.db, fid, key)) === true
  }

  async buy(purchase: Purchase): Promise<Receipt | Refusal> {
    const existing = await findTransaction(this.#options.db, purchase)
    if (existing?.state === 'confirmed') return receiptOf(existing)
    return await this.#underLock((lockedDb) => this.#buyUnderLock(lockedDb, purchase))
  }

  async settlePending(): Promise<void> {
    const pending = await pendingTransactions(this.#options.db, this.network)
    if (pending.length > 0) await this.#underLock(() => this.#finishPending())
  }

  async #buyUnderLock(lockedDb: Queryable, purchase: Purchase): Promise<Receipt | Refusal> {
    // A crashed process may have left unmerged purchases, and the next call is checked against merged state.
    await this.#finishPending()
    const existing = await findTransaction(this.#options.db, purchase)
    if (existing) return receiptOf(existing)
    const [payer] = await this.#options.db<{ address: Buffer }[]>`
      select address from accounts.wallets where id = ${purchase.walletId}`
    const position = await this.#nextPosition(purchase.call)
    const context = { db: lockedDb, position, payer: payer!.address }
    const result = await executeLocally(context, purchase.call)
    if (isRefusal(result)) return result
    const recorded = await this.#record(purchase, position, result)
    return isRefusal(recorded) ? recorded : await this.#finish(recorded)
  }

  /** Records a purchase in its own transaction, committed before anything is merged. */
  async #record(
    { walletId, purpose, requestKey, call, ...limit }: Purchase,
    position: EventPosition,
    { events, fid, usedNonces }: LocalCallResult,
  ): Promise<TransactionRow | Refusal> {
    const price = await this.priceOf(call)
    requireTimeLeft(limit)
    return await this.#options.db.begin(async (transaction) => {
      const [paid] = await transaction<{ nonce: number }[]>`
        update accounts.wallets
        set balance = balance - ${String(price)}::numeric, next_nonce = next_nonce + 1
        where id = ${walletId} and balance >= ${String(price)}::numeric
        returning next_nonce - 1 as nonce`
      if (!paid) return insufficientFunds(price, await localBalance(transaction, { id: walletId }))
      await incrementNonces(transaction, usedNonces)
      if (fid !== undefined) await reserveFid(transaction, fid)
      const encoded = events.map((event) => OnChainEvent.encode(event).finish())
      const [row] = await transaction<TransactionRow[]>`
        insert into accounts.transactions (wallet_id, purpose, request_key, nonce, max_cost, cost, events, hash, fid)
        values (
          ${walletId}, ${purpose}, ${requestKey ?? null}, ${paid.nonce}, ${String(price)}::numeric, ${String(price)}::numeric,
          ${transaction.types.byteas(encoded)}::bytea[], ${transactionHash(position.transaction)}, ${fid ?? null}
        )
        returning ${transactionColumns(transaction)}`
      return row!
    })
  }

  async #finishPending(): Promise<void> {
    for (const row of await pendingTransactions(this.#options.db, this.network)) await this.#finish(row)
  }

  /** Merges the events of a purchase; merged ones are left as they are. */
  async #finish(row: TransactionRow): Promise<Receipt> {
    const events = (row.events ?? []).map((event) => OnChainEvent.decode(event))
    const outcomes = await this.#options.hub.submitOnChainEvents(events)
    const refusal = outcomes.find((result) => result !== null && result.code !== 'bad_request.duplicate')
    if (refusal) throw new Error(`the hub refuses what was paid for: ${refusal.message}`)
    await applySettlement(
      this.#options.db,
      this.#options.db`
        update accounts.transactions set state = 'confirmed', settled_at = now()
        where id = ${row.id} and state = 'recorded'
        returning purpose, fid`,
    )
    return receiptOf(row)
  }

  #underLock<T>(work: (lockedDb: Queryable) => Promise<T>): Promise<T> {
    return withRegistryLock(this.#options.db, work)
  }

  async #nextPosition({ kind }: AccountCall): Promise<EventPosition> {
    const blockTimestamp = Math.floor(this.#options.clock() / 1000)
    const blockNumber = await nextBlockNumber(this.#options.db, blockTimestamp)
    return { blockNumber, blockTimestamp, logIndex: 0, transaction: `${kind}/${blockNumber}` }
  }
}

async function incrementNonces(db: Transaction, usedNonces: LocalCallResult['usedNonces']): Promise<void> {
  if (usedNonces.length === 0) return
  await db`
    insert into accounts.local_nonces (contract, address, nonce)
    select contract, address, 1
    from unnest(
      ${db.types.texts(usedNonces.map(({ contract }) => contract))}::text[],
      ${db.types.byteas(usedNonces.map(({ address }) => address))}::bytea[]
    ) as used (contract, address)
    on conflict (contract, address) do update set nonce = local_nonces.nonce + 1`
}

/** Reserves a fid until it is merged, also if this process dies. */
async function reserveFid(db: Transaction, fid: number): Promise<void> {
  await db`
    insert into hub.settings (name, value)
    values ('reserved_fids', ${fid}::bigint::text::jsonb)
    on conflict (name) do update
    set value = greatest((settings.value #>> '{}')::bigint, ${fid}::bigint)::text::jsonb`
}
