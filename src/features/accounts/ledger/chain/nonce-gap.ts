import { LRUCache } from 'lru-cache'
import type { Hex } from 'viem'
import type { Database, Queryable, Transaction } from '../../../../platform/db/connection.js'
import { PlazaError } from '../../../../platform/errors.js'
import type { Log } from '../../../../platform/log/log.js'
import { pause } from '../../../../platform/process/pause.js'
import { bytesOfHex, hexOf } from '../../../../protocol/bytes.js'
import { readAttempts, type SignedTransaction } from './attempts.js'
import { MissingState } from './missing-state.js'
import { storeUnrecorded } from './unrecorded.js'
import type { WalletRpc } from './wallet-rpc.js'
import { readTransaction } from './wallet-transaction.js'

/** Dependencies of a `NonceGap`. */
export interface NonceGapOptions {
  readonly db: Database
  readonly wallets: WalletRpc
  readonly log: Log
  readonly withWalletLock: <T>(walletId: string, work: (db: Transaction) => Promise<T>) => Promise<T>
}

/** A wallet and its address. */
interface WalletAddress {
  readonly id: string
  readonly address: Hex
}

/** A recorded transaction whose nonce is used. */
interface UsedNonce {
  readonly id: number
  readonly nonce: number
}

/** Nonces and transactions that are searched at once. */
const CONCURRENCY = 16
/** Nonces of a gap that are searched; a fail-over loses the last commits, which are the first of a gap. */
const MAX_SEARCHED = 1_000
/** Nodes behind one URL may briefly disagree. */
const TRIES = 6
const PAUSE_MS = 500
const MAX_CACHED = 10_000
const UNREADABLE_TEXT =
  'the chain has transactions of a wallet that are not recorded, and no RPC has the old states that show them: purchases of the wallet are refused until an RPC URL that keeps old states (an archive node) is added'

/**
 * Finds nonces of a wallet that the chain has and the database does not: used elsewhere with its key, or recorded and then lost
 * by a fail-over of the database. Nothing may be signed before they are read, since they may be what is about to be paid for.
 */
export class NonceGap {
  readonly #options: NonceGapOptions
  /** Recorded transactions that a block includes, by id. */
  readonly #included = new LRUCache<number, true>({ max: MAX_CACHED })
  /** Running reads by wallet, which their callers share. */
  readonly #reads = new Map<string, Promise<void>>()

  constructor(options: NonceGapOptions) {
    this.#options = options
  }

  /** Notes that a block includes a recorded transaction, which need not be asked for then. */
  noteIncluded(id: number): void {
    this.#included.set(id, true)
  }

  /**
   * Returns the nonce of a wallet's next transaction; null when `read` must come before. The caller holds the wallet lock.
   *
   * Too high a nonce would block the wallet forever, so all RPCs must count what is not recorded. Too low a nonce is retried.
   *
   * @param count Transactions of the wallet in blocks, by one RPC.
   */
  async nextNonce(db: Queryable, { id, address }: WalletAddress, count: number): Promise<number | null> {
    if ((await this.#unseen(db, id, count)).length > 0) return null
    const nonce = await nextNonceOf(db, id)
    if (count <= nonce) return nonce
    const { fewest } = await this.#options.wallets.countRange(address)
    return fewest <= nonce ? nonce : null
  }

  /**
   * Reads the transactions that the chain has and the database does not. What is read stays read when it fails later.
   *
   * @throws PlazaError `unavailable.other_side` when they cannot be read.
   */
  read(wallet: WalletAddress): Promise<void> {
    const running = this.#reads.get(wallet.id)
    if (running !== undefined) return running
    const reading = this.#read(wallet).finally(() => this.#reads.delete(wallet.id))
    this.#reads.set(wallet.id, reading)
    return reading
  }

  async #read(wallet: WalletAddress): Promise<void> {
    const { db, wallets, log } = this.#options
    const { fewest, most } = await wallets.countRange(wallet.address)
    const unseen = await this.#unseen(db, wallet.id, most)
    for (let at = 0; at < unseen.length; at += CONCURRENCY) {
      await Promise.all(unseen.slice(at, at + CONCURRENCY).map((each) => this.#requireIncluded(each)))
    }
    const nonce = await nextNonceOf(db, wallet.id)
    if (fewest <= nonce) return
    // One that was late may count fewer, and a nonce that is too high blocks the wallet.
    const count = await wallets.fewestCount(wallet.address)
    if (count <= nonce) return
    await this.#readFrom(wallet, nonce, count).catch((error: unknown) => {
      if (error instanceof MissingState) {
        log.warn({ walletId: wallet.id, from: nonce, to: count - 1 }, UNREADABLE_TEXT)
      }
      throw error
    })
    await this.#store(wallet.id, [], count)
  }

  async #readFrom({ id, address }: WalletAddress, nonce: number, count: number): Promise<void> {
    const { wallets } = this.#options
    const last = await wallets.head()
    const old = await wallets.oldCount(address, last)
    const start = Math.max(nonce, old ?? nonce)
    const end = Math.min(count, start + MAX_SEARCHED)
    for (let from = start; from < end; from += CONCURRENCY) {
      const nonces = Array.from({ length: Math.min(CONCURRENCY, end - from) }, (_, index) => from + index)
      const find = (each: number) =>
        wallets.findByNonceAgreed({ address, nonce: each, last }).catch((error: unknown) => {
          // A wallet that was imported has a history, and some nodes keep no old states. Other failures may pass.
          if (error instanceof MissingState && nonce === 0 && old === null) return null
          throw error
        })
      const found = await Promise.all(nonces.map(find))
      const signed = found.flatMap((each) =>
        each === null || each.raw === null
          ? []
          : [{ hash: bytesOfHex(each.hash), raw: bytesOfHex(each.raw) }],
      )
      const isForgotten = found.includes(null)
      await this.#store(id, signed, isForgotten ? count : from + nonces.length)
      if (isForgotten) return
    }
  }

  /** Stores what was found, and that the nonces below `next` are read. */
  async #store(walletId: string, found: readonly SignedTransaction[], next: number): Promise<void> {
    await this.#options.withWalletLock(walletId, async (db) => {
      // Another process may have read them meanwhile, and a purchase may have taken them.
      const nonce = await nextNonceOf(db, walletId)
      const unread = found.filter(({ raw }) => readTransaction(raw).nonce >= nonce)
      await storeUnrecorded(db, walletId, unread)
      await db`update accounts.wallets set next_nonce = greatest(next_nonce, ${next}) where id = ${walletId}`
    })
  }

  /** Lists open transactions whose nonce is used, and that this process has not seen in a block. */
  async #unseen(db: Queryable, walletId: string, count: number): Promise<UsedNonce[]> {
    const rows = await db<UsedNonce[]>`
      select id, nonce from accounts.transactions
      where wallet_id = ${walletId} and state = 'recorded' and nonce < ${count}`
    return rows.filter(({ id }) => !this.#included.has(id))
  }

  /**
   * Requires that a block includes a recorded transaction whose nonce is used.
   *
   * @throws PlazaError `unavailable` when another one has used it, until the final block decides whose it is.
   */
  async #requireIncluded({ id, nonce }: UsedNonce): Promise<void> {
    const { db, wallets } = this.#options
    for (let tries = 0; tries < TRIES; tries += 1) {
      if (tries > 0) await pause(PAUSE_MS)
      for (const { hash } of await readAttempts(db, id)) {
        if (!(await wallets.isIncluded(hexOf(hash)))) continue
        this.noteIncluded(id)
        return
      }
    }
    throw new PlazaError(
      'unavailable',
      `another transaction has used nonce ${nonce} of the wallet: nothing more is sent until it is final`,
    )
  }
}

async function nextNonceOf(db: Queryable, walletId: string): Promise<number> {
  const [row] = await db<{ nonce: number }[]>`
    select next_nonce as nonce from accounts.wallets where id = ${walletId}`
  return row!.nonce
}
