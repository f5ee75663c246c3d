import { encodeFunctionData, erc20Abi, type Hex, hexToBigInt, numberToHex } from 'viem'
import { callOrNull } from '../../../../hub/chain/batch-call.js'
import { type ChainRpc, RpcMismatch } from '../../../../hub/chain/chain-rpc.js'
import type { Endpoint } from '../../../../hub/chain/endpoint.js'
import { InconsistentReply } from '../../../../hub/chain/log-range.js'
import { PlazaError } from '../../../../platform/errors.js'
import { resultWithin } from '../../../../platform/process/pause.js'
import type { EncodedCall } from './contract-calls.js'
import type { MinedTransaction } from './mined-transaction.js'
import { isStateMissing, MissingState } from './missing-state.js'
import {
  type ChainReceipt,
  findByNonce,
  type ReceiptQuery,
  readReceipt,
  transactionCountAt,
} from './receipts.js'

/** Transaction counts of a wallet at the newest and the final block, by one RPC. */
export interface WalletCounts {
  readonly mined: number
  readonly final: number
  readonly finalBlock: number
}

/** Funds of a wallet at the newest block, by one RPC. */
export interface WalletFunds {
  /** In wei. */
  readonly balance: bigint
  /** Transactions in blocks. */
  readonly count: number
  /** Balance of a token. */
  readonly tokens: bigint
}

/** Gas price offer in wei. */
export interface GasPrice {
  readonly base: bigint
  readonly tip: bigint
}

/** A gas estimate, or the revert data of a call. */
export type GasEstimate =
  | { readonly gas: bigint }
  | { readonly revert: Hex }
  | { readonly isUnderfunded: true }
  /** It needs more gas than its sender can pay, or than the node allows to any call: nodes say the same of both. */
  | { readonly isAboveAllowance: true }

/** Longest wait for an RPC while a wallet is locked, or a purchase waits for it; some take a second on a bad day. */
const LOCK_TIMEOUT_MS = 5_000
/** Blocks of a day at two seconds each, as those of OP Mainnet and Base: nobody repeats a request later. */
const LOOK_BACK_BLOCKS = 43_200
const silentChainText = 'the chain does not respond: try again'

/** Chain requests of a wallet. */
export class WalletRpc {
  readonly #rpc: ChainRpc

  constructor(rpc: ChainRpc) {
    this.#rpc = rpc
  }

  /** Balance in wei at the newest block. */
  balance(address: Hex): Promise<bigint> {
    return this.#withEndpoint((endpoint) => balanceOf(endpoint, address))
  }

  /**
   * Reads balances and transaction count while the wallet is locked, with a short timeout; a retry uses the
   * next URL after a silent one.
   *
   * @param token The ERC-20 token of `tokens`, in its smallest unit; null for none.
   * @param settled Known settled transactions: an RPC that counts fewer is behind, and another one is used.
   */
  async funds(address: Hex, settled: number, token: Hex | null = null): Promise<WalletFunds> {
    const answer = this.#rpc.withEndpoint(async (endpoint) => {
      const [balance, count, tokens] = await Promise.all([
        balanceOf(endpoint, address),
        transactionCountAt(endpoint, address),
        token === null ? 0n : tokenBalanceOf(endpoint, token, address),
      ])
      if (count < settled) throw new InconsistentReply(`${endpoint.name} is behind`)
      return { balance, count, tokens }
    })
    const funds = await this.#orUnavailable(resultWithin(LOCK_TIMEOUT_MS, answer))
    if (funds === null) throw new PlazaError('unavailable.other_side', silentChainText)
    return funds
  }

  /**
   * Returns the transaction counts of an address by the RPC that counts the fewest, and by the one that counts the most. RPCs
   * that are late are left out: `fewestCount` waits for them.
   */
  async countRange(address: Hex): Promise<{ readonly fewest: number; readonly most: number }> {
    const counts = await this.#countsOfAll(address, LOCK_TIMEOUT_MS)
    return { fewest: Math.min(...counts), most: Math.max(...counts) }
  }

  /** Returns the transaction count of an address by the RPC that counts the fewest, however late it is. */
  async fewestCount(address: Hex): Promise<number> {
    return Math.min(...(await this.#countsOfAll(address)))
  }

  /** Returns the number of the newest block. */
  head(): Promise<number> {
    return this.#withEndpoint((endpoint) => endpoint.head())
  }

  /**
   * Returns the transaction count of an address long before a block, by the RPC that counts the fewest: some know only the newest
   * count. Null when none has the state of then.
   */
  async oldCount(address: Hex, block: number): Promise<number | null> {
    const before = Math.max(0, block - LOOK_BACK_BLOCKS)
    const counts = this.#rpc.requestAll((endpoint) => transactionCountAt(endpoint, address, before))
    return await counts.then(
      (all) => Math.min(...all),
      () => null,
    )
  }

  /** Whether a block includes a transaction, by any RPC. */
  async isIncluded(hash: Hex): Promise<boolean> {
    const hasReceipt = async (endpoint: Endpoint) =>
      (await endpoint.request<object | null>('eth_getTransactionReceipt', [hash])) !== null
    // One knows it nearly always, and another may hang.
    const answer = this.#rpc.withEndpoint(hasReceipt).catch(() => false)
    if ((await resultWithin(LOCK_TIMEOUT_MS, answer)) === true) return true
    const answers = await this.#orUnavailable(this.#rpc.requestAll(hasReceipt, LOCK_TIMEOUT_MS))
    return answers.includes(true)
  }

  async counts(address: Hex): Promise<WalletCounts> {
    const { head, ...counts } = await this.#withEndpoint(async (endpoint) => {
      const head = await endpoint.head()
      const finalBlock = this.#finalOf(head)
      const [header, mined, final] = await Promise.all([
        endpoint.header(head),
        transactionCountAt(endpoint, address),
        transactionCountAt(endpoint, address, finalBlock),
      ])
      if (header === null) throw new InconsistentReply(`${endpoint.name} has no block ${head}`)
      return { head, mined, final, finalBlock }
    })
    // An endpoint that stalls does not fail, and a process without followers asks for no other heads.
    await this.#rpc.recordHead(head)
    return counts
  }

  call({ to, data }: EncodedCall): Promise<Hex> {
    return this.#withEndpoint((endpoint) => endpoint.call(to, data))
  }

  /** Returns the result of a call at a block, agreed by all RPCs that have it; null when none does. */
  async callAt({ to, data }: EncodedCall, block: number): Promise<Hex | null> {
    const work = (endpoint: Endpoint) => endpoint.call(to, data, block)
    return await this.#rpc.requestAgreed(work).catch((error: unknown) => {
      if (!(error instanceof RpcMismatch)) return null
      throw error
    })
  }

  /** Returns the result of a call at the newest final block, agreed by all RPCs. */
  callAtFinalBlock({ to, data }: EncodedCall): Promise<Hex> {
    return this.#agreed(async (endpoint) => endpoint.call(to, data, this.#finalOf(await endpoint.head())))
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

  /** Estimates the gas of a call. A refusal is that of the RPC with the newest block: callers give up for good. */
  async estimateGas(from: Hex, call: EncodedCall, value: bigint): Promise<GasEstimate> {
    const work = (endpoint: Endpoint) => estimateAt(endpoint, from, call, value)
    const estimate = await this.#withEndpoint(work)
    if ('gas' in estimate) return estimate
    // One that has stalled answers all the same, and knows neither the fid nor the funds of a moment ago.
    const estimates = await this.#orUnavailable(
      this.#rpc.requestAll(async (endpoint) => ({
        head: await endpoint.head(),
        estimate: await work(endpoint),
      })),
    )
    return estimates.reduce((newest, each) => (each.head > newest.head ? each : newest)).estimate
  }

  /** Returns the block number of a transaction; null when it is in none. */
  block(hash: Hex): Promise<number | null> {
    return this.#withEndpoint(async (endpoint) => {
      const raw = await endpoint.request<{ blockNumber: Hex } | null>('eth_getTransactionReceipt', [hash])
      return raw && Number(raw.blockNumber)
    })
  }

  /**
   * Returns the receipt of a transaction in a final block, agreed by all RPCs that have the block; null when
   * it is not there.
   */
  mined(query: ReceiptQuery): Promise<ChainReceipt | null> {
    // Only some RPCs report the L1 data fee.
    const withoutFee = (receipt: ChainReceipt | null) => receipt && { ...receipt, fee: null }
    return this.#agreed((endpoint) => readReceipt(endpoint, query), withoutFee)
  }

  /** Returns the receipt of a transaction in a block that need not be final, by one RPC; null while it is in none. */
  async included(hash: Hex): Promise<ChainReceipt | null> {
    const blockNumber = await this.block(hash)
    if (blockNumber === null) return null
    return await this.#withEndpoint((endpoint) =>
      readReceipt(endpoint, { hash, blockNumber, emitsLogs: false }),
    )
  }

  /**
   * Finds an address's transaction with this nonce in a block up to `last`, agreed by all RPCs.
   *
   * @throws MissingState when each RPC says that it lacks the old states; other failures may pass.
   */
  async findByNonceAgreed(query: Parameters<typeof findByNonce>[1]): Promise<MinedTransaction> {
    let lacking = 0
    const find = (endpoint: Endpoint) =>
      findByNonce(endpoint, query).catch((error: unknown) => {
        if (isStateMissing(error)) lacking += 1
        throw error
      })
    return await this.#agreed(find).catch((error: unknown) => {
      throw lacking === this.#rpc.chain.rpcUrls.length ? new MissingState(error) : error
    })
  }

  /**
   * Broadcasts a signed transaction. A known transaction or used nonce is not an error.
   *
   * @param isResend Sends to every RPC, since the first one may not have propagated it.
   */
  async send(raw: Hex, isResend: boolean): Promise<void> {
    const sendTo = async (endpoint: Endpoint) => {
      await endpoint.request<Hex>('eth_sendRawTransaction', [raw]).catch((error: unknown) => {
        if (!alreadyKnownPattern.test(errorText(error))) throw error
      })
    }
    if (isResend) await this.#orUnavailable(this.#rpc.requestAll(sendTo))
    else await this.#withEndpoint(sendTo)
  }

  #countsOfAll(address: Hex, timeoutMs?: number): Promise<number[]> {
    return this.#orUnavailable(
      this.#rpc.requestAll((endpoint) => transactionCountAt(endpoint, address), timeoutMs),
    )
  }

  #finalOf(head: number): number {
    return Math.max(0, head - this.#rpc.chain.confirmations)
  }

  #withEndpoint<T>(work: (endpoint: Endpoint) => Promise<T>): Promise<T> {
    return this.#orUnavailable(this.#rpc.withEndpoint(work))
  }

  #agreed<T>(work: (endpoint: Endpoint) => Promise<T>, comparedPart?: (answer: T) => unknown): Promise<T> {
    return this.#orUnavailable(this.#rpc.requestAgreed(work, comparedPart))
  }

  /** Converts a failure of all URLs, or their disagreement, to a transient error. */
  async #orUnavailable<T>(answer: Promise<T>): Promise<T> {
    return await answer.catch((cause: unknown) => {
      throw new PlazaError('unavailable.other_side', silentChainText, { cause })
    })
  }
}

async function estimateAt(
  endpoint: Endpoint,
  from: Hex,
  { to, data }: EncodedCall,
  value: bigint,
): Promise<GasEstimate> {
  try {
    const gas = await endpoint.request<Hex>('eth_estimateGas', [
      { from, to, data, value: numberToHex(value) },
    ])
    return { gas: hexToBigInt(gas) }
  } catch (error) {
    const revert = revertData(error)
    if (revert !== null) return { revert }
    const text = errorText(error)
    if (/insufficient funds/i.test(text)) return { isUnderfunded: true }
    if (/gas required exceeds allowance/i.test(text)) return { isAboveAllowance: true }
    throw error
  }
}

async function balanceOf(endpoint: Endpoint, address: Hex): Promise<bigint> {
  return hexToBigInt(await endpoint.request<Hex>('eth_getBalance', [address, 'latest']))
}

async function tokenBalanceOf(endpoint: Endpoint, token: Hex, holder: Hex): Promise<bigint> {
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [holder] })
  return BigInt((await callOrNull(endpoint, { to: token, data })) ?? 0)
}

const alreadyKnownPattern = /already known|already imported|nonce too low|known transaction|underpriced/i

/** Joins the messages of an error and its causes. */
function errorText(error: unknown): string {
  const texts: string[] = []
  for (let each = error; each instanceof Error; each = each.cause) {
    texts.push(each.message, 'details' in each ? String(each.details) : '')
  }
  return texts.join('\n')
}

/** Finds the revert data of a contract, which RPCs nest at different depths. */
function revertData(error: unknown): Hex | null {
  for (let each: unknown = error; each instanceof Error; each = each.cause) {
    const data = 'data' in each ? each.data : undefined
    const found = typeof data === 'object' && data !== null && 'data' in data ? data.data : data
    if (typeof found === 'string' && found.startsWith('0x')) return found as Hex
  }
  return /revert/i.test(errorText(error)) ? '0x' : null
}
