import type { Hex } from 'viem'
import type { ChainRpc } from '../../../../hub/chain/chain-rpc.js'
import type { ChainName } from '../../../../hub/chain/chains.js'
import type { Queryable, Transaction } from '../../../../platform/db/connection.js'
import { isRefusal, PlazaError, type Refusal, refuse } from '../../../../platform/errors.js'
import { createQueue } from '../../../../platform/process/queue.js'
import { PromiseCache } from '../../../../platform/promise-cache.js'
import { hexOf } from '../../../../protocol/bytes.js'
import { lockWallet, openWallet } from '../../wallets/wallets.js'
import type {
  AccountCall,
  AccountLedger,
  NonceContract,
  Payer,
  PricedCall,
  Purchase,
  PurchaseQuote,
  Receipt,
} from '../account-ledger.js'
import {
  findTransaction,
  insufficientFunds,
  receiptOf,
  requireTimeLeft,
  type TransactionRow,
} from '../transactions.js'
import { countSettled, readAttempts, recordTransaction, reservedAmount, spendableAmount } from './attempts.js'
import { awaitOutcome, recordedInTime } from './await-outcome.js'
import {
  type CalledContract,
  contractRefusal,
  decodeNumber,
  type EncodedCall,
  encodeCall,
  encodeFunction,
  encodePriceOf,
  revertReason,
} from './contract-calls.js'
import { NonceGap } from './nonce-gap.js'
import { insufficientTokens, readOpenTransfers, spendableTokens, transferOf } from './token-transfers.js'
import {
  LOST_RECORD_TEXT,
  TransactionMonitor,
  type TransactionMonitorOptions,
} from './transaction-monitor.js'
import type {
  ContractTransaction,
  SubmissionState,
  SubmittedTransaction,
  TransactionOrder,
} from './transaction-order.js'
import { adoptUnrecorded } from './unrecorded.js'
import { type GasEstimate, WalletRpc } from './wallet-rpc.js'
import { type Fees, maxCostOf, minBigint, newFees, signTransaction, tagGas } from './wallet-transaction.js'

/** Dependencies of a chain's ledger. */
export interface ChainLedgerOptions
  extends Omit<TransactionMonitorOptions, 'network' | 'wallets' | 'withWalletLock' | 'noteIncluded'> {
  /** Aborts waiting. */
  readonly signal: AbortSignal
}

/** Age limit of cached balances and prices for checks of callers; spending uses fresh values. */
const CACHE_MS = 2_000
const MAX_CACHED = 10_000
/** Prices follow the dollar and may rise before a transaction is mined; the excess is refunded. */
const PRICE_MARGIN_PERCENT = 2n
/** Margin on gas estimates, since the state may change. */
const GAS_MARGIN_PERCENT = 20n
/**
 * The most gas that a transaction may have (EIP-7825). Nodes estimate more and do not accept it, and a recorded one
 * that none accepts holds up its wallet for ever: later ones have greater nonces.
 */
const MAX_GAS = 2n ** 24n

/** Ledgers by the network that wallets spend on. */
export type WalletLedgers = ReadonlyMap<ChainName, ChainLedger>

/** Approximate gas of each call, for price quotes. */
const typicalGas: Readonly<Record<AccountCall['kind'], bigint>> = {
  register: 300_000n,
  transfer: 200_000n,
  'add key': 300_000n,
  'remove key': 150_000n,
  rent: 150_000n,
}

/** State of an active key in the key registry. */
const KEY_ADDED = 1n

const nonceContracts = {
  'id gateway': 'idGateway',
  'id registry': 'idRegistry',
  'key gateway': 'keyGateway',
  'key registry': 'keyRegistry',
} as const satisfies Record<NonceContract, CalledContract>

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
  readonly #nonceGap: NonceGap
  readonly #withWalletLock: TransactionMonitorOptions['withWalletLock']
  readonly #cache: PromiseCache<bigint>

  constructor(options: ChainLedgerOptions) {
    const { db, rpc } = options
    this.#options = options
    this.#cache = new PromiseCache({ max: MAX_CACHED, ttlMs: CACHE_MS, clock: options.clock })
    this.#rpc = new WalletRpc(rpc)
    this.network = networkOf(rpc)
    const runInTurn = createQueue()
    // The chain responds while a lock and a connection are held; concurrent ones would exhaust the pool.
    this.#withWalletLock = (walletId, work, beforeLock = () => {}) =>
      runInTurn(async () => {
        beforeLock()
        const { value } = await db.begin(async (transaction) => {
          await lockWallet(transaction, walletId)
          return { value: await work(transaction) }
        })
        return value
      })
    this.#nonceGap = new NonceGap({
      db,
      wallets: this.#rpc,
      withWalletLock: this.#withWalletLock,
      log: options.log,
    })
    this.#transactionMonitor = new TransactionMonitor({
      ...options,
      network: this.network,
      wallets: this.#rpc,
      withWalletLock: this.#withWalletLock,
      noteIncluded: (id) => this.#nonceGap.noteIncluded(id),
    })
  }

  async priceOf(call: PricedCall): Promise<bigint> {
    return await this.#cache.read(`price ${JSON.stringify(call)}`, async () => {
      const [value, fees] = await Promise.all([this.#callValue(call), this.#fees()])
      return maxCostOf({ value, gas: typicalGas[call.kind], maxFee: fees.maxFee })
    })
  }

  async available(db: Queryable, payer: Payer, needed = 0n): Promise<bigint> {
    const available = await spendableAmount(db, payer.id, await this.#balance(payer, 'recent'))
    if (available >= needed) return available
    // A wallet that has just been funded is not refused for two seconds.
    return await spendableAmount(db, payer.id, await this.#balance(payer, 'fresh'))
  }

  /** Returns what a wallet may spend of an ERC-20 token, in its smallest unit. */
  async availableTokens(db: Queryable, { id, address }: Payer, token: Hex): Promise<bigint> {
    // In this order a transaction settled in between counts twice, not never.
    const open = await readOpenTransfers(db, id, token)
    const { tokens, count } = await this.#rpc.funds(hexOf(address), 0, token)
    return spendableTokens(tokens, count, open)
  }

  async quote(
    payer: Payer,
    call: Pick<AccountCall, 'kind'>,
    balanceAge: 'recent' | 'fresh',
  ): Promise<PurchaseQuote> {
    const [price, balance] = await Promise.all([this.priceOf(call), this.#balance(payer, balanceAge)])
    return { price, available: (db) => spendableAmount(db, payer.id, balance) }
  }

  async nonceOf(contract: NonceContract, address: Buffer): Promise<bigint> {
    return await this.#readNumber(this.#encode(nonceContracts[contract], 'nonces', [hexOf(address)]))
  }

  async fidOf(address: Buffer, finality: 'now' | 'finally' = 'now'): Promise<number | null> {
    const encodedCall = this.#encode('idRegistry', 'idOf', [hexOf(address)])
    const answer = finality === 'now' ? this.#rpc.call(encodedCall) : this.#rpc.callAtFinalBlock(encodedCall)
    return Number(decodeNumber(await answer)) || null
  }

  async hasKey(fid: number, key: Buffer): Promise<boolean> {
    const encodedCall = this.#encode('keyRegistry', 'keyDataOf', [BigInt(fid), hexOf(key)])
    return (await this.#readNumber(encodedCall)) === KEY_ADDED
  }

  async buy(purchase: Purchase): Promise<Receipt | Refusal> {
    const { db, signal } = this.#options
    const existing = await findTransaction(db, purchase)
    if (existing?.state === 'confirmed') return receiptOf(existing)
    const row = existing ?? (await recordedInTime(() => this.#recordPurchase(purchase), purchase))
    if (isRefusal(row)) return row
    // Not of all wallets: others may have much to check.
    const check = () => this.#transactionMonitor.checkWallet(purchase.walletId)
    return await awaitOutcome({ db, signal, check }, row.id, purchase)
  }

  /**
   * Sends a transaction once per purpose, like `buy`, and does not wait for it.
   *
   * @returns The recorded transaction, or a refusal: of the wallet, or of the called contract.
   */
  async submit(order: TransactionOrder): Promise<SubmittedTransaction | Refusal> {
    const existing = await findTransaction(this.#options.db, order)
    const row = existing ?? (await this.#record(order))
    if (isRefusal(row)) return row
    const hash = row.hash ?? (await readAttempts(this.#options.db, row.id)).at(-1)!.hash
    return { id: row.id, isNew: existing === null, hash: hexOf(hash) }
  }

  /** The most that a transaction with this gas and value may cost in wei, with fees. */
  async maxCost(gas: bigint, value: bigint): Promise<bigint> {
    const maxFee = await this.#cache.read('max fee', async () => (await this.#fees()).maxFee)
    return maxCostOf({ value, gas: withGasMargin(gas), maxFee })
  }

  /** Whether an order of this purpose was recorded and has not failed. @throws PlazaError `conflict` for another request. */
  async isSubmitted(order: Pick<TransactionOrder, 'purpose' | 'requestKey'>): Promise<boolean> {
    return (await findTransaction(this.#options.db, order)) !== null
  }

  /** The state of a submitted transaction: where it is included, or the hash under which it waits. */
  async readSubmitted({ id }: SubmittedTransaction): Promise<SubmissionState> {
    const attempts = (await readAttempts(this.#options.db, id)).map(({ hash }) => hexOf(hash))
    for (const hash of attempts) {
      const receipt = await this.#rpc.included(hash)
      if (receipt === null) continue
      this.#nonceGap.noteIncluded(id)
      return { hash, receipt }
    }
    return { hash: attempts.at(-1)!, receipt: null }
  }

  /** Estimates the most that a transaction of a wallet may cost in wei, with fees. */
  async estimateCost(from: Hex, { to, data, value }: ContractTransaction): Promise<bigint | Refusal> {
    const [estimate, fees] = await Promise.all([
      this.#rpc.estimateGas(from, { to, data }, value),
      this.#fees(),
    ])
    if (isWithinBound(estimate))
      return maxCostOf({ value, gas: withGasMargin(estimate.gas), maxFee: fees.maxFee })
    return await this.#refusalOf(estimate, from, { value, maxFee: fees.maxFee })
  }

  async settlePending(): Promise<void> {
    await this.#transactionMonitor.checkPending()
  }

  /** Continues recorded transactions of one wallet: those of others may have much to check. */
  async settleWallet(walletId: string): Promise<void> {
    await this.#transactionMonitor.checkWallet(walletId)
  }

  async #recordPurchase(purchase: Purchase): Promise<TransactionRow | Refusal> {
    requireTimeLeft(purchase)
    const call = encodeCall(this.#options.contracts, purchase.call)
    return await this.#record({ ...purchase, call, value: await this.#callValue(purchase.call) })
  }

  async #record(purchase: TransactionOrder): Promise<TransactionRow | Refusal> {
    const { db, vault } = this.#options
    const { call, value, walletId } = purchase
    const wallet = await openWallet(db, vault, walletId)
    const payer = { id: walletId, address: hexOf(wallet.address) }
    const from = payer.address
    const fees = await this.#fees()
    const estimate = await this.#rpc.estimateGas(from, call, value)
    if (!isWithinBound(estimate)) {
      // It may be bought: by another process meanwhile, or before its record was lost. The contracts refuse it a second time.
      await this.#nonceGap.read(payer)
      const existing = await this.#withWalletLock(walletId, (transaction) =>
        this.#findRecorded(transaction, purchase),
      )
      return existing ?? (await this.#refusalOf(estimate, from, { value, maxFee: fees.maxFee }))
    }
    const gas = tagGas(withGasMargin(estimate.gas), purchase.purpose, estimate.gas)
    const maxCost = maxCostOf({ value, gas, maxFee: fees.maxFee })
    const transfer = transferOf(call)
    const recordInTurn = async (transaction: Transaction) => {
      const existing = await this.#findRecorded(transaction, purchase)
      if (existing) return existing
      // In this order a transaction settled in between counts twice, not never.
      const reserved = await reservedAmount(transaction, walletId)
      const openTransfers =
        transfer === null ? [] : await readOpenTransfers(transaction, walletId, transfer.token)
      const settled = await countSettled(transaction, walletId)
      const { balance, count, tokens } = await this.#rpc.funds(from, settled, transfer?.token)
      const nonce = await this.#nonceGap.nextNonce(transaction, payer, count)
      if (nonce === null) return null
      if (balance - reserved < maxCost) return insufficientFunds(maxCost, balance - reserved)
      const spendable = spendableTokens(tokens, count, openTransfers)
      if (transfer !== null && spendable < transfer.amount) return insufficientTokens(transfer, spendable)
      const { chainId } = this.#options.rpc.chain
      const signed = await signTransaction({ ...call, ...fees, chainId, nonce, value, gas }, wallet)
      requireTimeLeft(purchase)
      return await recordTransaction(transaction, { ...purchase, nonce, maxCost, signed })
    }
    for (;;) {
      // Purchases that nobody waits for any more would ask a slow RPC in their turns, and hold up those of all wallets.
      const beforeLock = () => requireTimeLeft(purchase)
      const recorded = await this.#withWalletLock(walletId, recordInTurn, beforeLock)
      if (recorded !== null) return recorded
      // Not in its turn: it may take long.
      await this.#nonceGap.read(payer)
    }
  }

  /** Finds the transaction of a purchase, also one whose record was lost. The caller holds the wallet lock. */
  async #findRecorded(db: Transaction, purchase: TransactionOrder): Promise<TransactionRow | null> {
    const existing = await findTransaction(db, purchase)
    if (existing !== null) return existing
    const adopted = await adoptUnrecorded(db, purchase)
    if (adopted === null) return null
    const { purpose, nonce, hash } = adopted
    this.#options.log.warn({ purpose, nonce, hash: hexOf(hash!) }, LOST_RECORD_TEXT)
    return adopted
  }

  async #refusalOf(
    estimate: GasEstimate,
    from: Hex,
    { value, maxFee }: { readonly value: bigint; readonly maxFee: bigint },
  ): Promise<Refusal> {
    if ('revert' in estimate) return contractRefusal(revertReason(estimate.revert))
    if ('gas' in estimate) return tooMuchGas()
    const balance = await this.#rpc.balance(from)
    const mayPayAny = balance >= maxCostOf({ value, gas: MAX_GAS, maxFee })
    return 'isAboveAllowance' in estimate && mayPayAny ? tooMuchGas() : insufficientFunds(value, balance)
  }

  async #callValue(call: PricedCall): Promise<bigint> {
    const encodedCall = encodePriceOf(this.#options.contracts, call)
    if (encodedCall === null) return 0n
    return ((await this.#readNumber(encodedCall)) * (100n + PRICE_MARGIN_PERCENT)) / 100n
  }

  async #fees(): Promise<Fees> {
    const fees = newFees(await this.#rpc.gasPrice(), this.#options.maxFee)
    if (fees !== null) return fees
    throw new PlazaError('unavailable', 'the network requires higher fees than this server may offer')
  }

  #encode(contract: CalledContract, functionName: string, args: readonly unknown[]): EncodedCall {
    return encodeFunction(this.#options.contracts, contract, functionName, args)
  }

  async #readNumber(encodedCall: EncodedCall): Promise<bigint> {
    return decodeNumber(await this.#rpc.call(encodedCall))
  }

  #balance({ address }: Payer, age: 'recent' | 'fresh'): Promise<bigint> {
    const load = () => this.#rpc.balance(hexOf(address))
    return age === 'recent'
      ? this.#cache.read(hexOf(address), load)
      : this.#cache.refresh(hexOf(address), load)
  }
}

function isWithinBound(estimate: GasEstimate): estimate is { readonly gas: bigint } {
  return 'gas' in estimate && estimate.gas <= MAX_GAS
}

function tooMuchGas(): Refusal {
  return refuse(
    'conflict',
    `the call needs more than ${MAX_GAS} gas, the most of a transaction: ask for less in one`,
  )
}

function withGasMargin(gas: bigint): bigint {
  return minBigint((gas * (100n + GAS_MARGIN_PERCENT)) / 100n, MAX_GAS)
}

/** Returns the name of the network of wallets on a chain. */
export function networkOf({ chain }: Pick<ChainRpc, 'chain'>): string {
  return `eip155:${chain.chainId}`
}
