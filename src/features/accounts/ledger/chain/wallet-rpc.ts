import { type Hex, hexToBigInt, numberToHex } from 'viem'
import { type ChainRpc, RpcMismatch } from '../../../../hub/chain/chain-rpc.js'
import type { Endpoint } from '../../../../hub/chain/endpoint.js'
import { InconsistentReply } from '../../../../hub/chain/log-range.js'
import { PlazaError } from '../../../../platform/errors.js'
import { pause } from '../../../../platform/process/pause.js'
import type { EncodedCall } from './contract-calls.js'
import { blockNumberOf, type ChainReceipt, findByNonce, readReceipt, transactionCountAt } from './receipts.js'

/** How many transactions of a wallet are in blocks, and in those that are final, as one RPC sees it. */
export interface WalletCounts {
  readonly mined: number
  readonly final: number
  readonly finalBlock: number
}

/** What a wallet has in wei, and how many transactions of it are in blocks, as one RPC sees it. */
export interface WalletFunds {
  readonly balance: bigint
  readonly count: number
}

/** What a transaction may offer for a unit of gas, in wei. */
export interface GasPrice {
  readonly base: bigint
  readonly tip: bigint
}

/** What a call would take: gas, or why the contracts would refuse it: what they revert with. */
export type GasEstimate =
  | { readonly gas: bigint }
  | { readonly revert: Hex }
  | { readonly isUnderfunded: true }

/** How long a wallet is held at most for an answer of the chain: some take a second on a bad day. */
const LOCK_TIMEOUT_MS = 5_000

/** What a wallet asks of its chain. */
export class WalletRpc {
  readonly #rpc: ChainRpc

  constructor(rpc: ChainRpc) {
    this.#rpc = rpc
  }

  /** In wei, at the newest block. */
  balance(address: Hex): Promise<bigint> {
    return this.#askNumber('eth_getBalance', [address, 'latest'])
  }

  /**
   * Asked while the wallet is locked, and so not for longer than others can wait: who asks again gets the URL that comes
   * after one that is silent.
   *
   * @param settled how many are in blocks for certain: an RPC that counts less is behind, and another one is asked.
   */
  async funds(address: Hex, settled: number): Promise<WalletFunds> {
    const answer = this.#rpc.withEndpoint(async (endpoint) => {
      const [balance, count] = await Promise.all([
        endpoint.request<Hex>('eth_getBalance', [address, 'latest']),
        transactionCountAt(endpoint, address),
      ])
      if (count < settled) throw new InconsistentReply(`${endpoint.name} is behind`)
      return { balance: hexToBigInt(balance), count }
    })
    return await this.#orUnavailable(withTimeout(LOCK_TIMEOUT_MS, answer))
  }

  /** How many transactions of an address are in blocks, by the RPC that counts the fewest. */
  async minimumCount(address: Hex): Promise<number> {
    return Math.min(
      ...(await this.#orUnavailable(
        this.#rpc.requestAll((endpoint) => transactionCountAt(endpoint, address)),
      )),
    )
  }

  async counts(address: Hex): Promise<WalletCounts> {
    return await this.#withEndpoint(async (endpoint) => {
      const head = await endpoint.head()
      const finalBlock = this.#finalOf(head)
      const [header, mined, final] = await Promise.all([
        endpoint.header(head),
        transactionCountAt(endpoint, address),
        transactionCountAt(endpoint, address, finalBlock),
      ])
      if (header === null) throw new InconsistentReply(`${endpoint.name} has no block ${head}`)
      return { mined, final, finalBlock }
    })
  }

  call({ to, data }: EncodedCall): Promise<Hex> {
    return this.#withEndpoint((endpoint) => endpoint.call(to, data))
  }

  /** What a call has returned at a block, by all RPCs that remember it; null when none does. */
  async callAt({ to, data }: EncodedCall, block: number): Promise<Hex | null> {
    const work = (endpoint: Endpoint) => endpoint.call(to, data, block)
    return await this.#rpc.requestAgreed(work).catch((error: unknown) => {
      if (!(error instanceof RpcMismatch)) return null
      throw error
    })
  }

  /** What a call of a contract has returned at the newest block that is final, by all RPCs. */
  callAtFinalBlock({ to, data }: EncodedCall): Promise<Hex> {
    return this.#orUnavailable(
      this.#rpc.requestAgreed(async (endpoint) =>
        endpoint.call(to, data, this.#finalOf(await endpoint.head())),
      ),
    )
  }

  async gasPrice(): Promise<GasPrice> {
    return await this.#withEndpoint(async (endpoint) => {
      const [block, tip] = await Promise.all([
        endpoint.request<{ readonly baseFeePerGas?: Hex }>('eth_getBlockByNumber', ['latest', false]),
        endpoint.request<Hex>('eth_maxPriorityFeePerGas', []).then(hexToBigInt, () => 0n),
      ])
      return { base: hexToBigInt(block.baseFeePerGas ?? '0x0'), tip }
    })
  }

  async estimateGas(from: Hex, { to, data }: EncodedCall, value: bigint): Promise<GasEstimate> {
    return await this.#withEndpoint(async (endpoint): Promise<GasEstimate> => {
      try {
        const gas = await endpoint.request<Hex>('eth_estimateGas', [
          { from, to, data, value: numberToHex(value) },
        ])
        return { gas: hexToBigInt(gas) }
      } catch (error) {
        const revert = revertData(error)
        if (revert !== null) return { revert }
        if (/insufficient funds|gas required exceeds allowance/i.test(errorText(error)))
          return { isUnderfunded: true }
        throw error
      }
    })
  }

  /** The number of its block; null while it is in none. */
  block(hash: Hex): Promise<number | null> {
    return this.#withEndpoint((endpoint) => blockNumberOf(endpoint, hash))
  }

  /** What a transaction in a final block has come to, by all RPCs that have the block; null when it is not there. */
  mined(hash: Hex, blockNumber: number): Promise<ChainReceipt | null> {
    return this.#orUnavailable(
      this.#rpc.requestAgreed(
        (endpoint) => readReceipt(endpoint, hash, blockNumber),
        // What is written down below costs is told by some only.
        (receipt) => receipt && { ...receipt, fee: null },
      ),
    )
  }

  /** The transaction of an address that has this nonce in a block up to `last`, by all RPCs. */
  findByNonceAgreed(query: {
    readonly address: Hex
    readonly nonce: number
    readonly last: number
  }): Promise<Hex> {
    return this.#orUnavailable(this.#rpc.requestAgreed((endpoint) => findByNonce(endpoint, query)))
  }

  /**
   * Sends a signed transaction to the network; one that it knows already, or whose nonce is used, is not sent again.
   *
   * @param isResend Then every RPC gets it: the one that had it first may have kept it to itself.
   */
  async send(raw: Hex, isResend: boolean): Promise<void> {
    const sendTo = async (endpoint: Endpoint) => {
      await endpoint.request<Hex>('eth_sendRawTransaction', [raw]).catch((error: unknown) => {
        if (!isAlreadyKnown(error)) throw error
      })
    }
    if (isResend) await this.#orUnavailable(this.#rpc.requestAll(sendTo))
    else await this.#withEndpoint(sendTo)
  }

  #finalOf(head: number): number {
    return Math.max(0, head - this.#rpc.network.confirmations)
  }

  #withEndpoint<T>(work: (endpoint: Endpoint) => Promise<T>): Promise<T> {
    return this.#orUnavailable(this.#rpc.withEndpoint(work))
  }

  /** What fails with every URL is the chain's fault, and passes; so does what they do not agree on. */
  async #orUnavailable<T>(answer: Promise<T>): Promise<T> {
    return await answer.catch((error: unknown) => {
      throw new PlazaError('unavailable.other_side', 'the chain does not answer: ask again', { cause: error })
    })
  }

  async #askNumber(method: string, params: readonly unknown[]): Promise<bigint> {
    return hexToBigInt(
      await this.#withEndpoint((endpoint: Endpoint) => endpoint.request<Hex>(method, params)),
    )
  }
}

/** Fails when there is no answer in time; the asking goes on, and finds out which URL is silent. */
async function withTimeout<T>(ms: number, answer: Promise<T>): Promise<T> {
  const abortController = new AbortController()
  const timeout = pause(ms, abortController.signal).then((): never => {
    throw new Error(`no answer within ${ms} ms`)
  })
  try {
    return await Promise.race([answer, timeout])
  } finally {
    abortController.abort()
  }
}

/** What nodes say of a transaction that is on its way, or in a block. */
const alreadyKnownPattern = /already known|already imported|nonce too low|known transaction|underpriced/i

function isAlreadyKnown(error: unknown): boolean {
  return alreadyKnownPattern.test(errorText(error))
}

/** All that an error and its causes say. */
function errorText(error: unknown): string {
  const texts: string[] = []
  for (let each = error; each instanceof Error; each = each.cause) {
    texts.push(each.message, 'details' in each ? String(each.details) : '')
  }
  return texts.join('\n')
}

/** The data that a contract has given up with, which RPCs put at different depths. */
function revertData(error: unknown): Hex | null {
  for (let each: unknown = error; each instanceof Error; each = each.cause) {
    const data = 'data' in each ? each.data : undefined
    const found = typeof data === 'object' && data !== null && 'data' in data ? data.data : data
    if (typeof found === 'string' && found.startsWith('0x')) return found as Hex
  }
  return /revert/i.test(errorText(error)) ? '0x' : null
}
