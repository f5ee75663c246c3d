import type { AddedKey } from '../../../hub/registry/key-addition.js'
import type { Queryable } from '../../../platform/db/connection.js'
import type { Refusal } from '../../../platform/errors.js'

/** A signature by the holder of an address (20 bytes) and its deadline in Unix seconds. */
export interface SignedAuthorization {
  readonly address: Buffer
  readonly deadline: number
  readonly signature: Buffer
}

/**
 * Calls that a wallet pays for. The account's holder agrees by a signature of `signed-authorizations.ts`; the
 * wallet only pays.
 *
 * - `register`: the holder gets a new fid with one unit of storage and the given extra units.
 * - `transfer`: moves the fid between addresses; both have signed.
 * - `add key`, `remove key`: for the fid of the holder.
 * - `rent`: units of storage for a year.
 */
export type AccountCall =
  | {
      readonly kind: 'register'
      readonly holder: SignedAuthorization
      /** 20 bytes; zeros for none. */
      readonly recovery: Buffer
      readonly extraUnits: number
    }
  | {
      readonly kind: 'transfer'
      readonly fid: number
      readonly from: SignedAuthorization
      readonly to: SignedAuthorization
    }
  | { readonly kind: 'add key'; readonly holder: SignedAuthorization; readonly added: AddedKey }
  | { readonly kind: 'remove key'; readonly holder: SignedAuthorization; readonly key: Buffer }
  | { readonly kind: 'rent'; readonly fid: number; readonly units: number }

/** Contracts with a nonce per signer. */
export type NonceContract = 'id gateway' | 'id registry' | 'key gateway' | 'key registry'

/** A call whose price is asked, with its storage units. */
export type PricedCall = Pick<AccountCall, 'kind'> & {
  readonly extraUnits?: number
  readonly units?: number
}

/** A purchase of a wallet under a unique purpose; repeating it returns the same result. */
export interface Purchase {
  readonly walletId: string
  readonly purpose: string
  /** The client's request under its idempotency key; another request with the same purpose is a conflict. */
  readonly requestKey?: string
  /** Tells the client how to continue a purchase that is not settled in time; by default, to repeat its request. */
  readonly retryText?: string
  /**
   * When the caller must have its answer, in milliseconds of `performance.now()`: before the deadline of its request, after which
   * the client learns nothing. Nothing is recorded afterwards.
   */
  readonly untilMs?: number
  readonly call: AccountCall
}

/** A settled purchase, which will not be undone. */
export interface Receipt {
  /** Transaction hash, 32 bytes. */
  readonly hash: Buffer
  /** The registered fid; null for other calls. */
  readonly fid: number | null
}

/** The price of a call and the payer's funds, as recently reported by the network. */
export interface PurchaseQuote {
  /** The most that the call may cost the wallet in wei, with fees. */
  readonly price: bigint
  /** Balance that the wallet can still spend, in wei; queries only the database. */
  available(db: Queryable): Promise<bigint>
}

/** A paying wallet and its address of 20 bytes. */
export interface Payer {
  readonly id: string
  readonly address: Buffer
}

/** Registers and pays for fids: on a chain, or in the local registry of a network without one. */
export interface AccountLedger {
  /** Network name of its wallets: `local`, or a chain such as `eip155:10`. */
  readonly network: string
  /** The most that a call may cost a wallet in wei, with fees. */
  priceOf(call: PricedCall): Promise<bigint>
  /**
   * Balance that the wallet can still spend, in wei, without the reserve of open transactions.
   *
   * @param needed A balance of a moment ago is enough if it covers this.
   */
  available(db: Queryable, payer: Payer, needed?: bigint): Promise<bigint>
  /**
   * Fetches what a decision under a lock needs from the network, which may be slow.
   *
   * @param balanceAge Whether a balance of a moment ago is enough.
   */
  quote(payer: Payer, call: Pick<AccountCall, 'kind'>, balanceAge: 'recent' | 'fresh'): Promise<PurchaseQuote>
  /** The next nonce of an address (20 bytes) at this contract. */
  nonceOf(contract: NonceContract, address: Buffer): Promise<bigint>
  /** The fid of an address (20 bytes), at the newest or the final block. */
  fidOf(address: Buffer, finality?: 'now' | 'finally'): Promise<number | null>
  /** Whether a key (32 bytes) is active for a fid. */
  hasKey(fid: number, key: Buffer): Promise<boolean>
  /**
   * Buys once per purpose: for concurrent and later calls, and after a crash in between.
   *
   * When it resolves, the hub and the read model have what was bought.
   *
   * @returns A refusal of the contracts or the wallet; then only fees were paid and the purpose is free
   * again.
   * @throws PlazaError `unavailable` while the result is unknown: call again with the same purpose.
   */
  buy(purchase: Purchase): Promise<Receipt | Refusal>
  /** Continues recorded purchases of any process. */
  settlePending(): Promise<void>
}
