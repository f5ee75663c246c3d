import { type Hex, hexToBigInt, numberToHex } from 'viem'
import { type ChainLog, type Endpoint, type RawLog, readLog } from '../../../../hub/chain/endpoint.js'
import { InconsistentReply } from '../../../../hub/chain/log-range.js'
import { type MinedTransaction, type RawTransaction, toMinedTransaction } from './mined-transaction.js'

/** The receipt of a mined transaction. */
export interface ChainReceipt {
  readonly hash: Hex
  readonly blockNumber: number
  readonly blockHash: Hex
  /** Time of its block in Unix seconds. */
  readonly timestamp: number
  readonly succeeded: boolean
  readonly gasUsed: bigint
  /** In wei: for gas, and for the L1 data fee where the network has one. */
  readonly fee: bigint
  readonly logs: readonly ChainLog[]
}

interface RawReceipt {
  readonly transactionHash: Hex
  readonly blockNumber: Hex
  readonly blockHash: Hex
  readonly status: Hex
  readonly gasUsed: Hex
  readonly effectiveGasPrice: Hex
  readonly l1Fee?: Hex | null
  readonly logs: readonly RawLog[]
}

interface RawBlock<Transaction> {
  readonly hash: Hex
  readonly timestamp: Hex
  readonly transactions: readonly Transaction[]
}

/** A mined transaction. */
export interface ReceiptQuery {
  readonly hash: Hex
  readonly blockNumber: number
  readonly emitsLogs: boolean
}

/**
 * Reads a receipt and checks it against its block.
 *
 * @param query `emitsLogs`: whether the transaction emits a log if it succeeds. A failed one never does.
 * @returns Null when the block does not have it.
 * @throws InconsistentReply When the endpoint does not have the block or returns impossible data.
 */
export async function readReceipt(
  endpoint: Endpoint,
  { hash, blockNumber, emitsLogs }: ReceiptQuery,
): Promise<ChainReceipt | null> {
  const [raw, block] = await Promise.all([
    endpoint.request<RawReceipt | null>('eth_getTransactionReceipt', [hash]),
    endpoint.request<RawBlock<Hex> | null>('eth_getBlockByNumber', [numberToHex(blockNumber), false]),
  ])
  if (block === null) throw new InconsistentReply(`${endpoint.name} has no block ${blockNumber}`)
  const isIncluded = block.transactions.includes(hash)
  if (raw === null && !isIncluded) return null
  const logs = raw?.logs.map(readLog) ?? []
  const isConsistent =
    raw !== null &&
    isIncluded &&
    [raw, ...logs].every((part) => part.transactionHash === hash && part.blockHash === block.hash) &&
    Number(raw.blockNumber) === blockNumber &&
    (emitsLogs
      ? Number(raw.status) === Math.sign(logs.length)
      : Number(raw.status) === 1 || logs.length === 0)
  if (!isConsistent) throw new InconsistentReply(`${endpoint.name} gave a receipt that its block is not like`)
  return {
    hash,
    blockNumber,
    blockHash: block.hash,
    timestamp: Number(block.timestamp),
    succeeded: Number(raw.status) === 1,
    gasUsed: hexToBigInt(raw.gasUsed),
    fee: hexToBigInt(raw.gasUsed) * hexToBigInt(raw.effectiveGasPrice) + hexToBigInt(raw.l1Fee ?? '0x0'),
    logs,
  }
}

/** Counts the transactions of an address up to the newest block or a given one. */
export async function transactionCountAt(endpoint: Endpoint, address: Hex, block?: number): Promise<number> {
  const blockTag = block === undefined ? 'latest' : numberToHex(block)
  return Number(await endpoint.request<Hex>('eth_getTransactionCount', [address, blockTag]))
}

/**
 * Finds an address's transaction with this nonce in a block up to `last`.
 *
 * @throws UntrueReply When the endpoint counts it but does not have it.
 */
export async function findByNonce(
  endpoint: Endpoint,
  { address, nonce, last }: { readonly address: Hex; readonly nonce: number; readonly last: number },
): Promise<MinedTransaction> {
  const isBefore = async (block: number) => (await transactionCountAt(endpoint, address, block)) <= nonce
  if (await isBefore(last)) throw new InconsistentReply(`${endpoint.name} counts less than it did`)
  let [below, above] = [last - 1, last]
  // Searches from the newest block with growing steps: it is usually near, and nodes forget old states.
  for (let step = 1; below > 0 && !(await isBefore(below)); step *= 2) {
    above = below
    below = Math.max(0, below - step)
  }
  while (above - below > 1) {
    const middle = Math.floor((above + below) / 2)
    if (await isBefore(middle)) below = middle
    else above = middle
  }
  const block = await endpoint.request<RawBlock<RawTransaction> | null>('eth_getBlockByNumber', [
    numberToHex(above),
    true,
  ])
  const found = block?.transactions.find(
    (candidate) => candidate.from === address && Number(candidate.nonce) === nonce,
  )
  if (found === undefined)
    throw new InconsistentReply(`${endpoint.name} counts a transaction that it does not have`)
  return toMinedTransaction(found)
}
