import type { AddedKey } from '../../../hub/registry/key-addition.js'
import type { Queryable } from '../../../platform/db/connection.js'
import type { Refusal } from '../../../platform/errors.js'

/** A signature of the holder of an address (20 bytes), and until when it is good, in Unix seconds. */
export interface SignedAuthorization {
  readonly address: Buffer
  readonly deadline: number
  readonly signature: Buffer
}

/**
 * What a wallet can pay for. Whose account it is agrees by a signature of `consents.ts`: the wallet only pays.
 *
 * - `register`: the holder gets a new fid with one unit of storage, and as many more as are told.
 * - `transfer`: the fid goes from one address to another; both have signed.
 * - `add key`, `remove key`: of the fid that the holder has.
 * - `rent`: units of storage, for a year.
 */
export type AccountCall =
  | {
      readonly kind: 'register'
      readonly holder: SignedAuthorization
      /** 20 bytes; zeroes are nobody. */
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

/** Contracts that count what an address has signed for them. */
export type NonceContract = 'id gateway' | 'id registry' | 'key gateway' | 'key registry'

/** What a wallet is to pay for, under a name of its own: whatever is asked under it again is the same. */
export interface Purchase {
  readonly walletId: string
  readonly purpose: string
  /** What a client has asked for under a name of its own; another request under the same purpose is a conflict. */
  readonly requestKey?: string
  readonly call: AccountCall
}

/** A purchase that counts: it will not be undone. */
export interface Receipt {
  /** Of the transaction, 32 bytes. */
  readonly hash: Buffer
  /** That was registered; null for other calls. */
  readonly fid: number | null
}

/** What a call may take, and what its payer has for it: as the network tells it, or has told it just now. */
export interface PurchaseQuote {
  /** What the call may take from the wallet at most, in wei, with fees. */
  readonly price: bigint
  /** What the wallet can still spend, in wei; asks the database alone. */
  available(db: Queryable): Promise<bigint>
}

/** Who pays: a wallet, by its address of 20 bytes. */
export interface Payer {
  readonly id: string
  readonly address: Buffer
}

/**
 * Where fids are registered and paid for: a chain, or the local registry that does the same on a network without one.
 */
export interface AccountLedger {
  /** Of its wallets: `local`, or a chain as `eip155:10`. */
  readonly network: string
  /** What a call may take from a wallet at most, in wei, with fees. */
  priceOf(
    call: Pick<AccountCall, 'kind'> & { readonly extraUnits?: number; readonly units?: number },
  ): Promise<bigint>
  /** What the wallet can still spend, in wei: what open transactions may take is not counted. */
  available(db: Queryable, payer: Payer): Promise<bigint>
  /** All that a decision under a lock has to be told by the network, which may be silent for long. */
  quote(payer: Payer, call: Pick<AccountCall, 'kind'>): Promise<PurchaseQuote>
  /** The number that the next signature of an address (20 bytes) for this contract has to have. */
  nonceOf(contract: NonceContract, address: Buffer): Promise<bigint>
  /** The fid that an address (20 bytes) holds: as things are now, or as they will remain. */
  fidOf(address: Buffer, finality?: 'now' | 'finally'): Promise<number | null>
  /** Whether a key (32 bytes) may act for a fid. */
  hasKey(fid: number, key: Buffer): Promise<boolean>
  /**
   * Buys, once for each purpose: together, one after the other, or after this process has died in between. When it
   * resolves, the hub has what was bought, and so has the read model.
   *
   * @returns Why not, where the contracts or the wallet refuse; nothing was paid then but for fees, and the purpose is
   * free again.
   * @throws PlazaError `unavailable` when it is not known yet what comes of it: ask again under the same purpose.
   */
  buy(purchase: Purchase): Promise<Receipt | Refusal>
  /** Goes on with purchases that were recorded, whoever has made them. */
  settlePending(): Promise<void>
}
