import type { Hex } from 'viem'
import type { Purchase } from '../account-ledger.js'
import type { EncodedCall } from './contract-calls.js'
import type { ChainReceipt } from './receipts.js'

/** A transaction of a wallet under a unique purpose; repeating it sends nothing. */
export interface TransactionOrder extends Omit<Purchase, 'call'> {
  readonly call: EncodedCall
  /** In wei. */
  readonly value: bigint
}

/** A call with its value in wei. */
export interface ContractTransaction extends EncodedCall {
  readonly value: bigint
}

/** A recorded transaction, which will be sent until it is included. */
export interface SubmittedTransaction {
  readonly id: number
  /** False when an earlier order of this purpose has recorded it. */
  readonly isNew: boolean
  /** Hash of the included attempt if it is known, else of the last one. */
  readonly hash: Hex
}

/** The state of a submitted transaction. */
export interface SubmissionState {
  /** Hash of the included attempt, or of the last one. */
  readonly hash: Hex
  /** Null until a block includes it. */
  readonly receipt: ChainReceipt | null
}
