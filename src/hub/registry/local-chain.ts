import { createHash } from 'node:crypto'

/** The chain id of local development chains. No real network has it. */
export const LOCAL_CHAIN_ID = 31_337

/** A block every two seconds since 1970, as if the chain had always run: numbers grow with time by themselves. */
const BLOCK_SECONDS = 2

/** Where on the local chain something happened. */
export interface EventPosition {
  readonly blockNumber: number
  /** Unix seconds. */
  readonly blockTimestamp: number
  readonly logIndex: number
  /** What tells its transaction from all others; the transaction's hash is made of it. */
  readonly transaction: string
}

/** The number of the block that the local chain makes at a moment, in Unix seconds. */
export function blockNumberAt(unixSeconds: number): number {
  return Math.floor(unixSeconds / BLOCK_SECONDS)
}

/** The hash of a block, 32 bytes: of its number, for there is nothing else in a block that is never mined. */
export function blockHash(blockNumber: number): Buffer {
  return sha256(`plaza local chain, block ${blockNumber}`)
}

/** The hash of a transaction, 32 bytes. */
export function transactionHash(transaction: string): Buffer {
  return sha256(`plaza local chain, transaction ${transaction}`)
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
