import { OnChainEvent } from '@farcaster/core'
import type { Hub } from '../../../hub/hub.js'
import { nextBlockNumber, underRegistryLock } from '../../../hub/registry/ledger.js'
import { type ChainPlace, transactionHash } from '../../../hub/registry/local-chain.js'
import type { Database, Queryable, Transaction } from '../../../platform/db/connection.js'
import type { Refusal } from '../../../platform/errors.js'
import type {
  AccountCall,
  AccountLedger,
  Means,
  NonceContract,
  Payer,
  Purchase,
  Receipt,
} from './account-ledger.js'
import { callLocally, fidHeldBy, keyState, type LocalOutcome, readLocalNonce } from './local-contracts.js'
import {
  findTransaction,
  openTransactions,
  receiptOf,
  settle,
  type TransactionRow,
  tooLittle,
  transactionColumns,
} from './transactions.js'

/** What a local ledger stands on. */
export interface LocalLedgerOptions {
  readonly db: Database
  readonly hub: Pick<Hub, 'submitOnChainEvents'>
  /** Unix milliseconds. */
  readonly clock: () => number
}

/** Of wallets whose money is in the database. */
export const LOCAL_NETWORK = 'local'

/** About what the real chain takes, in wei: a unit of storage for a year, and the fee of a transaction. */
const UNIT_PRICE = 80_000_000_000_000n
const FEE = 2_000_000_000_000n

/** What a wallet of the local network has, in wei: what was recorded is taken already. */
export async function localBalance(db: Queryable, { id }: Pick<Payer, 'id'>): Promise<bigint> {
  const [row] = await db<{ balance: string }[]>`
    select coalesce(balance, 0)::text as balance from accounts.wallets where id = ${id}`
  return BigInt(row?.balance ?? 0)
}

/**
 * Registers and charges on the local network. A purchase is recorded with the events that it causes, in one
 * transaction with the money that it takes; then the events are merged, which may be repeated.
 */
export class LocalLedger implements AccountLedger {
  readonly network = LOCAL_NETWORK
  readonly #db: Database
  readonly #hub: LocalLedgerOptions['hub']
  readonly #clock: () => number
  #lastTurn: Promise<unknown> = Promise.resolve()

  constructor({ db, hub, clock }: LocalLedgerOptions) {
    this.#db = db
    this.#hub = hub
    this.#clock = clock
  }

  async priceOf({
    kind,
    extraUnits = 0,
    units = 0,
  }: Parameters<AccountLedger['priceOf']>[0]): Promise<bigint> {
    return FEE + UNIT_PRICE * BigInt(kind === 'register' ? 1 + extraUnits : units)
  }

  available(db: Queryable, payer: Payer): Promise<bigint> {
    return localBalance(db, payer)
  }

  async means(payer: Payer, call: Pick<AccountCall, 'kind'>): Promise<Means> {
    return { price: await this.priceOf(call), available: (db) => localBalance(db, payer) }
  }

  nonceOf(contract: NonceContract, address: Buffer): Promise<bigint> {
    return readLocalNonce(this.#db, contract, address)
  }

  fidOf(address: Buffer): Promise<number | null> {
    return fidHeldBy(this.#db, address)
  }

  async hasKey(fid: number, key: Buffer): Promise<boolean> {
    return (await keyState(this.#db, fid, key)) === true
  }

  async buy(purchase: Purchase): Promise<Receipt | Refusal> {
    const known = await findTransaction(this.#db, purchase)
    if (known?.state === 'confirmed') return receiptOf(known)
    return await this.#underLock((locked) => this.#buyNow(locked, purchase))
  }

  async settleOpen(): Promise<void> {
    const open = await openTransactions(this.#db, this.network)
    if (open.length > 0) await this.#underLock((locked) => this.#finishOpen(locked))
  }

  async #buyNow(locked: Queryable, purchase: Purchase): Promise<Receipt | Refusal> {
    // Whoever has recorded these died before they were merged, and the next call is judged by what is merged.
    await this.#finishOpen(locked)
    const known = await findTransaction(this.#db, purchase)
    if (known) return receiptOf(known)
    const [payer] = await this.#db<{ address: Buffer }[]>`
      select address from accounts.wallets where id = ${purchase.walletId}`
    const place = await this.#place(purchase.call)
    const moment = { db: locked, place, payer: payer!.address }
    const outcome = await callLocally(moment, purchase.call)
    if ('code' in outcome) return outcome
    const recorded = await this.#record(purchase, place, outcome)
    return 'code' in recorded ? recorded : await this.#finish(recorded)
  }

  /** In a transaction of its own, which is committed before anything is merged. */
  async #record(
    { walletId, purpose, asked, call }: Purchase,
    place: ChainPlace,
    { events, fid, used }: LocalOutcome,
  ): Promise<TransactionRow | Refusal> {
    const price = await this.priceOf(call)
    return await this.#db.begin(async (transaction) => {
      const [paid] = await transaction<{ nonce: number }[]>`
        update accounts.wallets
        set balance = balance - ${String(price)}::numeric, next_nonce = next_nonce + 1
        where id = ${walletId} and balance >= ${String(price)}::numeric
        returning next_nonce - 1 as nonce`
      if (!paid) {
        return tooLittle(price, await localBalance(transaction, { id: walletId }))
      }
      await countUsed(transaction, used)
      if (fid !== null) await reserve(transaction, fid)
      const encoded = events.map((event) => OnChainEvent.encode(event).finish())
      const [row] = await transaction<TransactionRow[]>`
        insert into accounts.transactions (wallet_id, purpose, asked, nonce, max_cost, cost, events, hash, fid)
        values (
          ${walletId}, ${purpose}, ${asked ?? null}, ${paid.nonce}, ${String(price)}::numeric, ${String(price)}::numeric,
          ${transaction.types.byteas(encoded)}::bytea[], ${transactionHash(place.transaction)}, ${fid}
        )
        returning ${transactionColumns(transaction)}`
      return row!
    })
  }

  async #finishOpen(_locked: Queryable): Promise<void> {
    for (const row of await openTransactions(this.#db, this.network)) await this.#finish(row)
  }

  /** Merges what a purchase causes; what is merged already is left as it is. */
  async #finish(row: TransactionRow): Promise<Receipt> {
    const events = (row.events ?? []).map((event) => OnChainEvent.decode(event))
    const outcomes = await this.#hub.submitOnChainEvents(events)
    const refusal = outcomes.find((outcome) => outcome !== null && outcome.code !== 'bad_request.duplicate')
    if (refusal) throw new Error(`the hub refuses what was paid for: ${refusal.message}`)
    await settle(
      this.#db,
      this.#db`
        update accounts.transactions set state = 'confirmed', settled_at = now()
        where id = ${row.id} and state = 'recorded'
        returning purpose, fid`,
    )
    return receiptOf(row)
  }

  /** One after the other in this process, since each holds a connection while it waits for the lock. */
  #underLock<T>(work: (locked: Queryable) => Promise<T>): Promise<T> {
    const turn = this.#lastTurn.then(() => underRegistryLock(this.#db, work))
    this.#lastTurn = turn.catch(() => {})
    return turn
  }

  async #place({ kind }: AccountCall): Promise<ChainPlace> {
    const blockTimestamp = Math.floor(this.#clock() / 1000)
    const blockNumber = await nextBlockNumber(this.#db, blockTimestamp)
    return { blockNumber, blockTimestamp, logIndex: 0, transaction: `${kind}/${blockNumber}` }
  }
}

async function countUsed(db: Transaction, used: LocalOutcome['used']): Promise<void> {
  if (used.length === 0) return
  await db`
    insert into accounts.local_nonces (contract, address, nonce)
    select contract, address, 1
    from unnest(
      ${db.types.texts(used.map(({ contract }) => contract))}::text[],
      ${db.types.byteas(used.map(({ address }) => address))}::bytea[]
    ) as used (contract, address)
    on conflict (contract, address) do update set nonce = local_nonces.nonce + 1`
}

/** Nobody else may take the fid, should this process die before it is merged. */
async function reserve(db: Transaction, fid: number): Promise<void> {
  await db`
    insert into hub.settings (name, value)
    values ('reserved_fids', ${fid}::bigint::text::jsonb)
    on conflict (name) do update
    set value = greatest((settings.value #>> '{}')::bigint, ${fid}::bigint)::text::jsonb`
}
