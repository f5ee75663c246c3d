import { type Hex, hexToBigInt, numberToHex } from 'viem'
import type { ChainRpc } from '../../../chain/chain-rpc.js'
import type { ChainLog, Endpoint } from '../../../chain/endpoint.js'
import { PlazaError } from '../../../errors.js'
import type { EncodedCall } from './contract-calls.js'

/** A transaction in a block. */
export interface ChainReceipt {
  readonly hash: Hex
  readonly blockNumber: number
  readonly succeeded: boolean
  /** In wei: for gas, and for having it written down on the chain below where the network has one. */
  readonly fee: bigint
  readonly logs: readonly ChainLog[]
}

/** What a transaction may offer for a unit of gas, in wei. */
export interface GasPrice {
  readonly base: bigint
  readonly tip: bigint
}

/** What a call would take: gas, or why the contracts would refuse it: what they revert with. */
export type GasEstimate = { readonly gas: bigint } | { readonly revert: Hex } | { readonly tooPoor: true }

interface RawReceipt {
  readonly transactionHash: Hex
  readonly blockNumber: Hex
  readonly status: Hex
  readonly gasUsed: Hex
  readonly effectiveGasPrice: Hex
  readonly l1Fee?: Hex | null
  readonly logs: readonly RawLog[]
}

interface RawLog {
  readonly address: Hex
  readonly topics: readonly Hex[]
  readonly data: Hex
  readonly blockNumber: Hex
  readonly blockHash: Hex
  readonly transactionHash: Hex
  readonly transactionIndex: Hex
  readonly logIndex: Hex
}

/** What a wallet asks of its chain. */
export class WalletRpc {
  readonly #rpc: ChainRpc

  constructor(rpc: ChainRpc) {
    this.#rpc = rpc
  }

  /** In wei, at the newest block. */
  balance(address: Hex): Promise<bigint> {
    return this.#number('eth_getBalance', [address, 'latest'])
  }

  /** How many transactions of an address are in blocks, up to the newest or to one of them. */
  async count(address: Hex, block?: number): Promise<number> {
    const at = block === undefined ? 'latest' : numberToHex(block)
    return Number(await this.#number('eth_getTransactionCount', [address, at]))
  }

  call({ to, data }: EncodedCall): Promise<Hex> {
    return this.#with((endpoint) => endpoint.call(to, data))
  }

  head(): Promise<number> {
    return this.#with((endpoint) => endpoint.head())
  }

  /** Unix seconds. */
  async timeOf(blockNumber: number): Promise<number> {
    const header = await this.#with((endpoint) => endpoint.header(blockNumber))
    if (header === null) throw new Error(`the RPC does not know block ${blockNumber}`)
    return header.timestamp
  }

  async gasPrice(): Promise<GasPrice> {
    return await this.#with(async (endpoint) => {
      const [block, tip] = await Promise.all([
        endpoint.ask<{ readonly baseFeePerGas?: Hex }>('eth_getBlockByNumber', ['latest', false]),
        endpoint.ask<Hex>('eth_maxPriorityFeePerGas', []).then(hexToBigInt, () => 0n),
      ])
      return { base: hexToBigInt(block.baseFeePerGas ?? '0x0'), tip }
    })
  }

  async estimateGas(from: Hex, { to, data }: EncodedCall, value: bigint): Promise<GasEstimate> {
    return await this.#with(async (endpoint): Promise<GasEstimate> => {
      try {
        const gas = await endpoint.ask<Hex>('eth_estimateGas', [
          { from, to, data, value: numberToHex(value) },
        ])
        return { gas: hexToBigInt(gas) }
      } catch (error) {
        const revert = revertOf(error)
        if (revert !== null) return { revert }
        if (/insufficient funds|gas required exceeds allowance/i.test(textOf(error))) return { tooPoor: true }
        throw error
      }
    })
  }

  /** Null while it is in no block. */
  async receipt(hash: Hex): Promise<ChainReceipt | null> {
    const raw = await this.#with((endpoint) =>
      endpoint.ask<RawReceipt | null>('eth_getTransactionReceipt', [hash]),
    )
    return raw && readReceipt(raw)
  }

  /** Sends a signed transaction to the network; one that it knows already, or whose nonce is used, is not sent again. */
  async send(raw: Hex): Promise<void> {
    await this.#with(async (endpoint) => {
      await endpoint.ask<Hex>('eth_sendRawTransaction', [raw]).catch((error: unknown) => {
        if (!isKnownAlready(error)) throw error
      })
    })
  }

  /** What fails with every URL is the chain's fault, and passes. */
  async #with<T>(work: (endpoint: Endpoint) => Promise<T>): Promise<T> {
    return await this.#rpc.with(work).catch((error: unknown) => {
      throw new PlazaError('unavailable.other_side', 'the chain does not answer: ask again', { cause: error })
    })
  }

  async #number(method: string, params: readonly unknown[]): Promise<bigint> {
    return hexToBigInt(await this.#with((endpoint: Endpoint) => endpoint.ask<Hex>(method, params)))
  }
}

function readReceipt(raw: RawReceipt): ChainReceipt {
  const fee = hexToBigInt(raw.gasUsed) * hexToBigInt(raw.effectiveGasPrice) + hexToBigInt(raw.l1Fee ?? '0x0')
  return {
    hash: raw.transactionHash,
    blockNumber: Number(raw.blockNumber),
    succeeded: Number(raw.status) === 1,
    fee,
    logs: raw.logs.map((log) => ({
      ...log,
      address: log.address.toLowerCase() as Hex,
      blockNumber: Number(log.blockNumber),
      transactionIndex: Number(log.transactionIndex),
      logIndex: Number(log.logIndex),
    })),
  }
}

/** What nodes say of a transaction that is on its way, or in a block. */
const knownAlready = /already known|already imported|nonce too low|known transaction|underpriced/i

function isKnownAlready(error: unknown): boolean {
  return knownAlready.test(textOf(error))
}

/** All that an error and its causes say. */
function textOf(error: unknown): string {
  const texts: string[] = []
  for (let each = error; each instanceof Error; each = each.cause) {
    texts.push(each.message, 'details' in each ? String(each.details) : '')
  }
  return texts.join('\n')
}

/** The data that a contract has given up with, which RPCs put at different depths. */
function revertOf(error: unknown): Hex | null {
  for (let each: unknown = error; each instanceof Error; each = each.cause) {
    const data = 'data' in each ? each.data : undefined
    const found = typeof data === 'object' && data !== null && 'data' in data ? data.data : data
    if (typeof found === 'string' && found.startsWith('0x')) return found as Hex
  }
  return /revert/i.test(textOf(error)) ? '0x' : null
}
