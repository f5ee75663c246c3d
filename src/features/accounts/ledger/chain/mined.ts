import { type Hex, hexToBigInt, numberToHex } from 'viem'
import { type ChainLog, type Endpoint, type RawLog, readLog } from '../../../../hub/chain/endpoint.js'
import { UntrueReply } from '../../../../hub/chain/log-range.js'

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
export async function blockOf(endpoint: Endpoint, hash: Hex): Promise<number | null> {
  const raw = await endpoint.ask<RawReceipt | null>('eth_getTransactionReceipt', [hash])
  return raw && Number(raw.blockNumber)
}

/**
 * What has become of a transaction in a block, held against the block itself.
 *
 * @returns null when the block does not have it.
 * @throws UntrueReply when the endpoint does not have the block, or tells what cannot be.
 */
export async function readMined(
  endpoint: Endpoint,
  hash: Hex,
  blockNumber: number,
): Promise<ChainReceipt | null> {
  const [raw, block] = await Promise.all([
    endpoint.ask<RawReceipt | null>('eth_getTransactionReceipt', [hash]),
    endpoint.ask<RawBlock<Hex> | null>('eth_getBlockByNumber', [numberToHex(blockNumber), false]),
  ])
  if (block === null) throw new UntrueReply(`${endpoint.name} has no block ${blockNumber}`)
  const isThere = block.transactions.includes(hash)
  if (raw === null && !isThere) return null
  const logs = raw?.logs.map(readLog) ?? []
  const isWhole =
    raw !== null &&
    isThere &&
    [raw, ...logs].every((part) => part.transactionHash === hash && part.blockHash === block.hash) &&
    Number(raw.blockNumber) === blockNumber &&
    // Every call that a wallet pays for is told of by a log, and one that has failed leaves none.
    Number(raw.status) === Math.sign(logs.length)
  if (!isWhole) throw new UntrueReply(`${endpoint.name} gave a receipt that its block is not like`)
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
export async function countAt(endpoint: Endpoint, address: Hex, block?: number): Promise<number> {
  const at = block === undefined ? 'latest' : numberToHex(block)
  return Number(await endpoint.ask<Hex>('eth_getTransactionCount', [address, at]))
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
  const isBefore = async (block: number) => (await countAt(endpoint, address, block)) <= nonce
  if (await isBefore(last)) throw new UntrueReply(`${endpoint.name} counts less than it did`)
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
  type Sent = { readonly from: Hex; readonly nonce: Hex; readonly hash: Hex }
  const block = await endpoint.ask<RawBlock<Sent> | null>('eth_getBlockByNumber', [numberToHex(above), true])
  const found = block?.transactions.find((sent) => sent.from === address && Number(sent.nonce) === nonce)
  if (found === undefined)
    throw new UntrueReply(`${endpoint.name} counts a transaction that it does not have`)
  return found.hash
}
