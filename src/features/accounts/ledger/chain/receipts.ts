import { type Hex, hexToBigInt, numberToHex } from 'viem'
import { type ChainLog, type Endpoint, type RawLog, readLog } from '../../../../hub/chain/endpoint.js'
import { InconsistentReply } from '../../../../hub/chain/log-range.js'

/** A transaction in a block. */
export interface ChainReceipt {
  readonly hash: Hex
  readonly blockNumber: number
  readonly blockHash: Hex
  /** Of its block, in Unix seconds. */
  readonly timestamp: number
  readonly succeeded: boolean
  /** In wei: for gas, and for having it written down on the chain below where the network has one. */
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

/** The number of the block that an endpoint says a transaction is in; null while it is in none. */
export async function blockNumberOf(endpoint: Endpoint, hash: Hex): Promise<number | null> {
  const raw = await endpoint.request<RawReceipt | null>('eth_getTransactionReceipt', [hash])
  return raw && Number(raw.blockNumber)
}

/**
 * What has become of a transaction in a block, held against the block itself.
 *
 * @returns null when the block does not have it.
 * @throws UntrueReply when the endpoint does not have the block, or tells what cannot be.
 */
export async function readReceipt(
  endpoint: Endpoint,
  hash: Hex,
  blockNumber: number,
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
    // Every call that a wallet pays for is told of by a log, and one that has failed leaves none.
    Number(raw.status) === Math.sign(logs.length)
  if (!isConsistent) throw new InconsistentReply(`${endpoint.name} gave a receipt that its block is not like`)
  return {
    hash,
    blockNumber,
    blockHash: block.hash,
    timestamp: Number(block.timestamp),
    succeeded: logs.length > 0,
    fee: hexToBigInt(raw.gasUsed) * hexToBigInt(raw.effectiveGasPrice) + hexToBigInt(raw.l1Fee ?? '0x0'),
    logs,
  }
}

/** How many transactions of an address are in blocks, up to the newest or to one of them. */
export async function transactionCountAt(endpoint: Endpoint, address: Hex, block?: number): Promise<number> {
  const blockTag = block === undefined ? 'latest' : numberToHex(block)
  return Number(await endpoint.request<Hex>('eth_getTransactionCount', [address, blockTag]))
}

/**
 * The transaction of an address that has this nonce, in some block up to `last`.
 *
 * @throws UntrueReply when the endpoint counts it, and does not have it.
 */
export async function findByNonce(
  endpoint: Endpoint,
  { address, nonce, last }: { readonly address: Hex; readonly nonce: number; readonly last: number },
): Promise<Hex> {
  const isBefore = async (block: number) => (await transactionCountAt(endpoint, address, block)) <= nonce
  if (await isBefore(last)) throw new InconsistentReply(`${endpoint.name} counts less than it did`)
  let [below, above] = [last - 1, last]
  // Most often it is near the newest block, and nodes forget how old ones were.
  for (let step = 1; below > 0 && !(await isBefore(below)); step *= 2) {
    above = below
    below = Math.max(0, below - step)
  }
  while (above - below > 1) {
    const middle = Math.floor((above + below) / 2)
    if (await isBefore(middle)) below = middle
    else above = middle
  }
  type SentTransaction = { readonly from: Hex; readonly nonce: Hex; readonly hash: Hex }
  const block = await endpoint.request<RawBlock<SentTransaction> | null>('eth_getBlockByNumber', [
    numberToHex(above),
    true,
  ])
  const found = block?.transactions.find(
    (candidate) => candidate.from === address && Number(candidate.nonce) === nonce,
  )
  if (found === undefined)
    throw new InconsistentReply(`${endpoint.name} counts a transaction that it does not have`)
  return found.hash
}
