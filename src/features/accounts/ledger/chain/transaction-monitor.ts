import { LRUCache } from 'lru-cache'
import type { Hex } from 'viem'
import type { ChainRpc } from '../../../../hub/chain/chain-rpc.js'
import type { ChainSettings, ContractName } from '../../../../hub/chain/chain-settings.js'
import { type RegistryName, registryEvent, registryTopics } from '../../../../hub/chain/registry-events.js'
import type { Hub } from '../../../../hub/hub.js'
import type { Database, Transaction } from '../../../../platform/db/connection.js'
import { isRecent } from '../../../../platform/durations.js'
import type { Log } from '../../../../platform/log/log.js'
import { createQueue } from '../../../../platform/process/queue.js'
import type { Vault } from '../../../../platform/vault/vault.js'
import { bytesOfHex, hexOf } from '../../../../protocol/bytes.js'
import { IdRegisterEventType, type OnChainEvent } from '../../../../protocol/definitions.js'
import { openWallet } from '../../wallets/wallets.js'
import { pendingOfWallet, type TransactionRow, walletsWithPending } from '../transactions.js'
import {
  type AttemptRow,
  countSettled,
  readAttempts,
  readOutcome,
  recordLostAttempt,
  recordReplacement,
  reservedAmount,
  settleTransaction,
} from './attempts.js'
import { decodeNumber, encodePricePaid } from './contract-calls.js'
import type { MinedTransaction } from './mined-transaction.js'
import type { ChainReceipt } from './receipts.js'
import { isSamePurchase, storeUnrecorded } from './unrecorded.js'
import type { WalletCounts, WalletRpc } from './wallet-rpc.js'
import {
  gasTagOf,
  maxCostOf,
  minBigint,
  readTransaction,
  replacementFees,
  signTransaction,
} from './wallet-transaction.js'

/** Dependencies of the transaction monitor. */
export interface TransactionMonitorOptions {
  readonly db: Database
  /** Runs work that calls the chain under a wallet's lock, one at a time in this process. */
  readonly withWalletLock: <T>(
    walletId: string,
    work: (db: Transaction) => Promise<T>,
    /** Called in its turn, before a connection is taken; an error of it ends the turn. */
    beforeLock?: () => void,
  ) => Promise<T>
  /** Notes that a block includes a transaction. */
  readonly noteIncluded: (transactionId: number) => void
  readonly rpc: ChainRpc
  readonly wallets: WalletRpc
  readonly contracts: ChainSettings['contracts']
  readonly hub: Pick<Hub, 'submitOnChainEvents'>
  readonly vault: Vault
  readonly network: string
  /** Highest gas price to offer, in wei. */
  readonly maxFee: bigint
  /** Milliseconds until an unmined transaction is replaced at a higher fee. */
  readonly stuckMs: number
  /** Unix milliseconds. */
  readonly clock: () => number
  readonly log: Log
}

/** Failure of a transaction whose nonce was used elsewhere with the wallet's key. */
export const NONCE_TAKEN = 'NonceTaken'

/** Log line for a payment that the database had lost. */
export const LOST_RECORD_TEXT = 'the database had no record of a payment that a block includes: it counts'

const { REGISTER } = IdRegisterEventType
const CONCURRENCY = 16
/** Wallets checked at once. */
const MAX_WALLETS = 8
/** Transactions of a wallet that a check sends. Nodes keep few pending ones of an account, and higher nonces wait for them. */
const MAX_SENT = 32
/** Nodes may forget a transaction or its block may be reorganized; sending again is harmless. */
const RESEND_MS = 2_000
const MAX_CACHED = 10_000
const registryNames = Object.keys(registryTopics) as RegistryName[]

/**
 * Checks all open transactions of any process: sends missing ones, replaces stuck ones at a higher fee, and
 * settles final ones after the hub has their events.
 */
export class TransactionMonitor {
  readonly #options: TransactionMonitorOptions
  /** Running checks by wallet, which their callers share. */
  readonly #checks = new Map<string, Promise<void>>()
  readonly #inTurn = createQueue(MAX_WALLETS)
  /** When each transaction was last sent, by hash. */
  readonly #sentMs = new LRUCache<string, number>({ max: MAX_CACHED })
  /** When each attempt was first sent, or refused, by hash. */
  readonly #triedMs = new LRUCache<string, number>({ max: MAX_CACHED })
  readonly #missingSinceMs = new LRUCache<number, number>({ max: MAX_CACHED })

  constructor(options: TransactionMonitorOptions) {
    this.#options = options
  }

  /** Checks the transactions of all wallets. @throws what the first one that failed threw, when all are checked. */
  async checkPending(): Promise<void> {
    const { db, network } = this.#options
    const walletIds = await walletsWithPending(db, network)
    const checks = await Promise.allSettled(walletIds.map((id) => this.#inTurn(() => this.checkWallet(id))))
    const failed = checks.find((check) => check.status === 'rejected')
    if (failed) throw failed.reason
  }

  /** Checks the transactions of a wallet, at once: its caller waits for it. */
  checkWallet(walletId: string): Promise<void> {
    const running = this.#checks.get(walletId)
    if (running !== undefined) return running
    const check = this.#checkWallet(walletId).finally(() => this.#checks.delete(walletId))
    this.#checks.set(walletId, check)
    return check
  }

  async #checkWallet(walletId: string): Promise<void> {
    const { db, wallets, log } = this.#options
    const rows = await pendingOfWallet(db, walletId)
    if (rows.length === 0) return
    const [wallet] = await db<{ address: Buffer }[]>`
      select address from accounts.wallets where id = ${walletId}`
    const address = hexOf(wallet!.address)
    const counts = await wallets.counts(address)
    const check = (row: TransactionRow) =>
      this.#checkTransaction(row, counts, address).catch((error: unknown) => {
        log.warn({ err: error, purpose: row.purpose, nonce: row.nonce }, 'transaction check failed')
      })
    const included = rows.filter(({ nonce }) => nonce < counts.mined)
    for (let at = 0; at < included.length; at += CONCURRENCY) {
      await Promise.all(included.slice(at, at + CONCURRENCY).map(check))
    }
    // One after another: a node may refuse or forget a transaction that comes before the one of the nonce below.
    const unsent = rows.filter(({ nonce }) => nonce >= counts.mined)
    for (const row of unsent.slice(0, MAX_SENT)) await check(row)
  }

  async #checkTransaction(row: TransactionRow, { mined, final, finalBlock }: WalletCounts, address: Hex) {
    const { db, wallets, noteIncluded } = this.#options
    const attempts = await readAttempts(db, row.id)
    if (row.nonce >= mined) return await this.#broadcast(row, attempts.at(-1)!)
    const names = attempts.map(({ hash }) => hexOf(hash))
    const blocks = await Promise.all(names.map((hash) => wallets.block(hash)))
    const at = blocks.findIndex((block) => block !== null)
    if (at >= 0) {
      noteIncluded(row.id)
      if (blocks[at]! <= finalBlock) await this.#settleIncluded(row, attempts[at]!, blocks[at]!)
    } else if (row.nonce < final && this.#isMissingForLong(row.id)) {
      // A missing receipt proves nothing: paying again would charge twice.
      const used = await wallets.findByNonceAgreed({ address, nonce: row.nonce, last: finalBlock })
      if (names.includes(used.hash)) throw new Error('the chain has the transaction but returns no receipt')
      await this.#settleTaken(row, attempts, used)
    }
  }

  /**
   * Settles a transaction whose nonce another one has used, unless that one is an attempt of it whose record was lost. The
   * other one is stored for the purchase that it may be of.
   */
  async #settleTaken(row: TransactionRow, attempts: readonly AttemptRow[], { hash, raw }: MinedTransaction) {
    const { db, withWalletLock, log } = this.#options
    const { id, walletId, purpose, nonce } = row
    const own = readTransaction(attempts[0]!.raw)
    const used = raw === null ? null : { hash: bytesOfHex(hash), raw: bytesOfHex(raw) }
    if (used !== null && isSamePurchase({ ...own, tag: gasTagOf(own) }, readTransaction(used.raw))) {
      log.warn({ purpose, nonce, hash }, LOST_RECORD_TEXT)
      await recordLostAttempt(db, id, attempts.at(-1)!.attempt + 1, used)
      return
    }
    log.warn({ purpose, nonce, hash }, 'the nonce of a transaction was used by another one of the wallet')
    await withWalletLock(walletId, async (transaction) => {
      if ((await readOutcome(transaction, id)).state !== 'recorded') return
      if (used !== null) await storeUnrecorded(transaction, walletId, [used])
      const outcome = { hash: null, cost: 0n, fid: null, failure: NONCE_TAKEN }
      await settleTransaction(transaction, id, outcome)
    })
  }

  /** Nodes behind one URL may briefly disagree. */
  #isMissingForLong(transactionId: number): boolean {
    const { clock, stuckMs } = this.#options
    const sinceMs = this.#missingSinceMs.get(transactionId)
    // Also after the clock has gone back: the time would not pass until it has caught up.
    if (sinceMs === undefined || clock() < sinceMs) this.#missingSinceMs.set(transactionId, clock())
    return sinceMs !== undefined && clock() - sinceMs >= stuckMs
  }

  async #broadcast(row: TransactionRow, last: AttemptRow): Promise<void> {
    const name = hexOf(last.hash)
    const triedMs = this.#triedMs.get(name)
    if (triedMs === undefined || this.#options.clock() < triedMs)
      this.#triedMs.set(name, this.#options.clock())
    // A transaction refused for its low fee is replaced all the same.
    const failure = await this.#send(last).catch((error: unknown) => error)
    await this.#replaceIfStuck(row, last)
    if (failure) throw failure
  }

  /** Sends a transaction again now and then, since nodes forget pending ones. */
  async #send({ hash, raw, attempt }: AttemptRow): Promise<void> {
    const { clock, wallets } = this.#options
    const name = hexOf(hash)
    const sentMs = this.#sentMs.get(name)
    if (sentMs !== undefined && isRecent(sentMs, clock(), RESEND_MS)) return
    await wallets.send(hexOf(raw), sentMs !== undefined || attempt > 0)
    this.#sentMs.set(name, clock())
  }

  async #settleIncluded(row: TransactionRow, attempt: AttemptRow, blockNumber: number): Promise<void> {
    const { db, wallets } = this.#options
    const { to } = readTransaction(attempt.raw)
    const emitsLogs = this.#contractAt(to) !== null
    const receipt = await wallets.mined({ hash: hexOf(attempt.hash), blockNumber, emitsLogs })
    if (receipt === null) return
    const { hash } = attempt
    if (!receipt.succeeded) {
      await settleTransaction(db, row.id, { hash, cost: receipt.fee, fid: null, failure: 'reverted' })
      return
    }
    const events = await this.#submitToHub(receipt)
    const registered = events.find(({ idRegisterEventBody: body }) => body?.eventType === REGISTER)
    const cost = receipt.fee + (await this.#valuePaid(attempt, blockNumber))
    await settleTransaction(db, row.id, { hash, cost, fid: registered?.fid ?? null, failure: null })
  }

  /**
   * Returns the paid value in wei, without the refund in the same transaction, for which there is no log. The
   * maximum when no node knows.
   */
  async #valuePaid({ raw }: AttemptRow, blockNumber: number): Promise<bigint> {
    const { contracts, wallets } = this.#options
    const sent = readTransaction(raw)
    const encodedCall = encodePricePaid(contracts, sent)
    if (encodedCall === null) return sent.value
    const price = await wallets.callAt(encodedCall, blockNumber)
    return price === null ? sent.value : minBigint(decodeNumber(price), sent.value)
  }

  /**
   * Submits events to the hub. The block is as deep as those that the hub's followers read, so they report
   * the same events, which merge once.
   */
  async #submitToHub({ logs, timestamp: blockTimestamp }: ChainReceipt): Promise<OnChainEvent[]> {
    const { hub, rpc } = this.#options
    const time = { chainId: rpc.chain.chainId, blockTimestamp }
    const events = logs.flatMap((log) => {
      const registry = registryNames.find((name) => name === this.#contractAt(log.address)) ?? null
      const event = registry === null ? null : registryEvent(registry, log, time)
      return event === null ? [] : [event]
    })
    const outcomes = await hub.submitOnChainEvents(events)
    const refusal = outcomes.find((outcome) => outcome !== null && outcome.code !== 'bad_request.duplicate')
    if (refusal) throw new Error(`the hub refuses what was paid for: ${refusal.message}`)
    return events
  }

  /** The contract of the protocol at an address of this chain. Elsewhere anybody may deploy at the same address. */
  #contractAt(address: Hex): ContractName | null {
    const { contracts, rpc } = this.#options
    const names = Object.keys(contracts) as ContractName[]
    const isAt = ({ chain, address: own }: ChainSettings['contracts'][ContractName]) =>
      chain === rpc.chain.name && own.toLowerCase() === address.toLowerCase()
    return names.find((name) => isAt(contracts[name])) ?? null
  }

  async #replaceIfStuck(row: TransactionRow, last: AttemptRow): Promise<void> {
    const { db, withWalletLock, clock, stuckMs, maxFee: bound, vault, wallets, log } = this.#options
    // One of many waits for its turn after it was signed: it is not stuck before it was sent.
    const triedForMs = clock() - (this.#triedMs.get(hexOf(last.hash)) ?? 0)
    if (Math.min(last.ageMs, triedForMs) < stuckMs) return
    const previous = readTransaction(last.raw)
    const fees = replacementFees(previous, await wallets.gasPrice(), bound)
    if (fees === null) return
    const { walletId, purpose, nonce } = row
    const wallet = await openWallet(db, vault, walletId)
    const next = { ...previous, ...fees }
    const maxCost = maxCostOf(next)
    const signed = await signTransaction(next, wallet)
    const isRecorded = await withWalletLock(walletId, async (transaction) => {
      const reserved = await reservedAmount(transaction, walletId, row.id)
      const settled = await countSettled(transaction, walletId)
      const { balance } = await wallets.funds(hexOf(wallet.address), settled)
      if (balance - reserved < maxCost) return false
      await recordReplacement(transaction, row.id, last.attempt + 1, { signed, maxCost })
      return true
    })
    if (!isRecorded) return
    log.info({ purpose, nonce, maxFee: String(fees.maxFee) }, 'transaction replaced at a higher fee')
    const attempts = await readAttempts(db, row.id)
    await this.#send(attempts.at(-1)!)
  }
}
