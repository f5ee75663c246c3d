import type { Hex } from 'viem'
import type { ChainRpc } from '../../../../hub/chain/chain-rpc.js'
import type { ChainSettings } from '../../../../hub/chain/chain-settings.js'
import type { Hub } from '../../../../hub/hub.js'
import type { Database, Queryable } from '../../../../platform/db/connection.js'
import { PlazaError, type Refusal, refuse } from '../../../../platform/errors.js'
import type { Log } from '../../../../platform/log/log.js'
import type { Vault } from '../../../../platform/vault/vault.js'
import { hexOf } from '../../../../protocol/bytes.js'
import { lockWallet, openWallet } from '../../wallets/wallets.js'
import type {
  AccountCall,
  AccountLedger,
  NonceContract,
  Payer,
  Purchase,
  PurchaseQuote,
  Receipt,
} from '../account-ledger.js'
import { findTransaction, insufficientFunds, receiptOf, type TransactionRow } from '../transactions.js'
import { countSettled, readOutcome, recordTransaction, reservedAmount } from './attempts.js'
import { ChainBalances } from './chain-balances.js'
import {
  decodeNumber,
  type EncodedCall,
  encodeCall,
  encodeIdOf,
  encodeKeyOf,
  encodeNonceOf,
  encodePriceOf,
  KEY_ADDED,
  revertName,
} from './contract-calls.js'
import { type Fees, newFees } from './fees.js'
import { SerialExecutor } from './serial-executor.js'
import { NONCE_TAKEN, TransactionMonitor } from './transaction-monitor.js'
import { WalletRpc } from './wallet-rpc.js'
import { maxCostOf, signTransaction } from './wallet-transaction.js'

/** Dependencies of a chain's ledger. */
export interface ChainLedgerOptions {
  /** Used for writes. */
  readonly db: Database
  readonly rpc: ChainRpc
  readonly contracts: ChainSettings['contracts']
  readonly hub: Pick<Hub, 'submitOnChainEvents'>
  readonly vault: Vault
  /** Highest gas price to offer, in wei. */
  readonly maxFee: bigint
  /** Milliseconds until an unmined transaction is replaced at a higher fee. */
  readonly stuckMs: number
  /** Unix milliseconds. */
  readonly clock: () => number
  readonly log: Log
  /** Aborts waiting. */
  readonly signal: AbortSignal
}

/** Longest wait of a caller; the purchase continues without it. */
const WAIT_MS = 90_000
const POLL_MS = 250
/** Age limit of cached balances and prices for checks of callers; spending uses fresh values. */
const CACHE_MS = 2_000
/** Prices follow the dollar and may rise before a transaction is mined; the excess is refunded. */
const PRICE_MARGIN_PERCENT = 2n
/** Margin on gas estimates, since the state may change. */
const GAS_MARGIN_PERCENT = 20n

/** Approximate gas of each call, for price quotes. */
const typicalGas: Readonly<Record<AccountCall['kind'], bigint>> = {
  register: 300_000n,
  transfer: 200_000n,
  'add key': 300_000n,
  'remove key': 150_000n,
  rent: 150_000n,
}

/**
 * Registers and pays on a chain.
 *
 * A purchase is signed and recorded before it is sent, with the wallet's next nonce and under the wallet's
 * lock. So any number of processes, ending anywhere, use one nonce per purchase and one purchase per nonce.
 */
export class ChainLedger implements AccountLedger {
  readonly network: string
  readonly #options: ChainLedgerOptions
  readonly #rpc: WalletRpc
  readonly #transactionMonitor: TransactionMonitor
  readonly #balances: ChainBalances
  readonly #serialExecutor: SerialExecutor
  readonly #cache = new Map<string, { readonly value: Promise<unknown>; readonly untilMs: number }>()

  constructor(options: ChainLedgerOptions) {
    this.#options = options
    this.#rpc = new WalletRpc(options.rpc)
    const cachedRpc = {
      balance: (address: Hex) => this.#cached(address, () => this.#rpc.balance(address)),
    }
    this.#balances = new ChainBalances(cachedRpc, options.rpc.network)
    this.network = this.#balances.network
    this.#serialExecutor = new SerialExecutor(options.db)
    this.#transactionMonitor = new TransactionMonitor({
      ...options,
      network: this.network,
      wallets: this.#rpc,
      serialExecutor: this.#serialExecutor,
    })
  }

  async priceOf(call: Parameters<AccountLedger['priceOf']>[0]): Promise<bigint> {
    return await this.#cached(`price ${JSON.stringify(call)}`, async () => {
      const [value, fees] = await Promise.all([this.#callValue(call), this.#fees()])
      return maxCostOf({ value, gas: typicalGas[call.kind], maxFee: fees.maxFee })
    })
  }

  available(db: Queryable, payer: Payer): Promise<bigint> {
    return this.#balances.available(db, payer)
  }

  async quote(payer: Payer, call: Pick<AccountCall, 'kind'>): Promise<PurchaseQuote> {
    const [price, available] = await Promise.all([this.priceOf(call), this.#balances.fetchAvailable(payer)])
    return { price, available }
  }

  async nonceOf(contract: NonceContract, address: Buffer): Promise<bigint> {
    return await this.#callNumber(encodeNonceOf(this.#options.contracts, contract, address))
  }

  async fidOf(address: Buffer, finality: 'now' | 'finally' = 'now'): Promise<number | null> {
    const encodedCall = encodeIdOf(this.#options.contracts, address)
    const answer = finality === 'now' ? this.#rpc.call(encodedCall) : this.#rpc.callAtFinalBlock(encodedCall)
    return Number(decodeNumber(await answer)) || null
  }

  async hasKey(fid: number, key: Buffer): Promise<boolean> {
    return (await this.#callNumber(encodeKeyOf(this.#options.contracts, fid, key))) === KEY_ADDED
  }

  async buy(purchase: Purchase): Promise<Receipt | Refusal> {
    const { db } = this.#options
    const existing = await findTransaction(db, purchase)
    if (existing?.state === 'confirmed') return receiptOf(existing)
    const row = existing ?? (await this.#record(purchase))
    return 'code' in row ? row : await this.#waitForOutcome(row.id)
  }

  async settlePending(): Promise<void> {
    await this.#transactionMonitor.checkPending()
  }

  async #record(purchase: Purchase): Promise<TransactionRow | Refusal> {
    const { db, contracts, vault } = this.#options
    const wallet = await openWallet(db, vault, purchase.walletId)
    const from = hexOf(wallet.address)
    const call = encodeCall(contracts, purchase.call)
    const [value, fees] = await Promise.all([this.#callValue(purchase.call), this.#fees()])
    const estimate = await this.#rpc.estimateGas(from, call, value)
    if (!('gas' in estimate)) {
      // Another process may have bought it meanwhile; the contracts would refuse it a second time.
      const existing = await findTransaction(db, purchase)
      if (existing) return existing
      if ('revert' in estimate) return contractRefusal(revertName(estimate.revert))
      return insufficientFunds(value, await this.#rpc.balance(from))
    }
    const gas = (estimate.gas * (100n + GAS_MARGIN_PERCENT)) / 100n
    const maxCost = maxCostOf({ value, gas, maxFee: fees.maxFee })
    return await this.#serialExecutor.run(async (transaction) => {
      await lockWallet(transaction, purchase.walletId)
      const existing = await findTransaction(transaction, purchase)
      if (existing) return existing
      // In this order a transaction settled in between counts twice, not never.
      const reserved = await reservedAmount(transaction, purchase.walletId)
      const { balance, count } = await this.#rpc.funds(
        from,
        await countSettled(transaction, purchase.walletId),
      )
      const nonce = await this.#nextNonce(transaction, purchase.walletId, { address: from, count })
      if (balance - reserved < maxCost) return insufficientFunds(maxCost, balance - reserved)
      const { chainId } = this.#options.rpc.network
      const signed = await signTransaction({ ...call, ...fees, chainId, nonce, value, gas }, wallet)
      const { walletId, purpose, requestKey = null } = purchase
      const nowMs = this.#options.clock()
      return await recordTransaction(transaction, {
        walletId,
        purpose,
        requestKey,
        nonce,
        maxCost,
        signed,
        nowMs,
      })
    })
  }

  /**
   * Returns the nonce after our own transactions and others sent with the wallet's key.
   *
   * Too high a nonce would block the wallet forever, so counts of foreign transactions are agreed by all
   * RPCs. Too low a nonce is retried.
   */
  async #nextNonce(
    db: Queryable,
    walletId: string,
    { address, count }: { readonly address: Hex; readonly count: number },
  ): Promise<number> {
    const [row] = await db<{ nonce: number }[]>`
      select next_nonce as nonce from accounts.wallets where id = ${walletId}`
    return count <= row!.nonce ? row!.nonce : Math.max(row!.nonce, await this.#rpc.minimumCount(address))
  }

  async #waitForOutcome(transactionId: number): Promise<Receipt | Refusal> {
    const { db, signal } = this.#options
    for (let waitedMs = 0; waitedMs < WAIT_MS && !signal.aborted; waitedMs += POLL_MS) {
      await this.#transactionMonitor.checkPending()
      const { state, failure, hash, fid } = await readOutcome(db, transactionId)
      if (state === 'confirmed') return receiptOf({ hash, fid })
      if (failure === NONCE_TAKEN) break
      if (state === 'reverted') return contractRefusal(failure)
      await pause(POLL_MS)
    }
    throw new PlazaError('unavailable', 'the transaction is not mined yet: send the same request again')
  }

  async #callValue(call: Parameters<AccountLedger['priceOf']>[0]): Promise<bigint> {
    const encodedCall = encodePriceOf(this.#options.contracts, call)
    if (encodedCall === null) return 0n
    return ((await this.#callNumber(encodedCall)) * (100n + PRICE_MARGIN_PERCENT)) / 100n
  }

  async #fees(): Promise<Fees> {
    const fees = newFees(await this.#rpc.gasPrice(), this.#options.maxFee)
    if (fees !== null) return fees
    throw new PlazaError('unavailable', 'the network requires higher fees than this server may offer')
  }

  async #callNumber(encodedCall: EncodedCall): Promise<bigint> {
    return decodeNumber(await this.#rpc.call(encodedCall))
  }

  #cached<T>(name: string, read: () => Promise<T>): Promise<T> {
    const { clock } = this.#options
    const existing = this.#cache.get(name)
    if (existing && existing.untilMs > clock()) return existing.value as Promise<T>
    const value = read()
    this.#cache.set(name, { value, untilMs: clock() + CACHE_MS })
    value.catch(() => this.#cache.delete(name))
    return value
  }
}

function contractRefusal(reason: string | null): Refusal {
  return refuse('conflict', `the contracts refuse the call${reason === null ? '' : `: ${reason}`}`)
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
