import { createHash } from 'node:crypto'

/** Chain id of local development chains; no public network has it. */
export const LOCAL_CHAIN_ID = 31_337

/** Time between blocks. Block numbers derive from the time since 1970, so they grow by themselves. */
const BLOCK_SECONDS = 2

/** The position of an event on the local chain. */
export interface EventPosition {
  readonly blockNumber: number
  /** Unix seconds. */
  readonly blockTimestamp: number
  readonly logIndex: number
  /** Unique name of its transaction; the transaction hash derives from it. */
  readonly transaction: string
}

/** Returns the number of the local block at a moment, in Unix seconds. */
export function blockNumberAt(unixSeconds: number): number {
  return Math.floor(unixSeconds / BLOCK_SECONDS)
}

/** Returns the hash of a block, 32 bytes, derived from its number. */
export function blockHash(blockNumber: number): Buffer {
  return sha256(`plaza local chain, block ${blockNumber}`)
}

/** Returns the hash of a transaction, 32 bytes, derived from its name. */
export function transactionHash(transaction: string): Buffer {
  return sha256(`plaza local chain, transaction ${transaction}`)
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
