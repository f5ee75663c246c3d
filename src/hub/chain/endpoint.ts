import { createPublicClient, type Hex, http, numberToHex } from 'viem'

/** Characters of a word of a contract's answer or log: `0x` and 32 bytes in hex. */
export const WORD_LENGTH = 66

/** The part of a block header that followers use. */
export interface BlockHeader {
  readonly number: number
  /** Lower-case hex with 0x. */
  readonly hash: Hex
  readonly parentHash: Hex
  /** Unix seconds. */
  readonly timestamp: number
}

/** An event log of a contract. */
export interface ChainLog {
  /** Lower-case hex with 0x, like all hex below. */
  readonly address: Hex
  readonly topics: readonly Hex[]
  readonly data: Hex
  readonly blockNumber: number
  readonly blockHash: Hex
  readonly transactionHash: Hex
  readonly transactionIndex: number
  readonly logIndex: number
}

/** Selects logs of any of these addresses with any of these first topics, and with any of these third ones. */
export interface LogFilter {
  readonly addresses: readonly Hex[]
  readonly topics: readonly Hex[]
  /** For `Transfer`, the receivers. Without it, logs with any third topic. */
  readonly thirdTopics?: readonly Hex[]
}

/** One RPC URL. */
export type Endpoint = ReturnType<typeof openEndpoint>

const TIMEOUT_MS = 20_000
/** Concurrent requests of one list. */
const CONCURRENCY = 16

/** A log in the form of the JSON-RPC. */
export interface RawLog {
  readonly address: Hex
  readonly topics: readonly Hex[]
  readonly data: Hex
  readonly blockNumber: Hex | null
  readonly blockHash: Hex | null
  readonly transactionHash: Hex | null
  readonly transactionIndex: Hex | null
  readonly logIndex: Hex | null
  readonly removed?: boolean
}

interface RawHeader {
  readonly number: Hex
  readonly hash: Hex
  readonly parentHash: Hex
  readonly timestamp: Hex
}

/** Opens an RPC URL. Sends nothing before the first call and never repeats a request. */
export function openEndpoint(url: string) {
  const client = createPublicClient({ transport: http(url, { retryCount: 0, timeout: TIMEOUT_MS }) })

  /** Calls any other JSON-RPC method. @throws the client's error for an error answer. */
  const request = async <T>(method: string, params: readonly unknown[]): Promise<T> => {
    const result: unknown = await client.request({ method, params } as never)
    if (isValidResult(method, result)) return result as T
    throw new Error(`${new URL(url).host} returned no valid answer to ${method}`)
  }

  /** Returns null if the endpoint does not have the block. */
  async function header(number: number): Promise<BlockHeader | null> {
    const raw = await request<RawHeader | null>('eth_getBlockByNumber', [numberToHex(number), false])
    if (raw === null) return null
    const found = {
      number: Number(raw.number),
      hash: raw.hash,
      parentHash: raw.parentHash,
      timestamp: Number(raw.timestamp),
    }
    if (found.number !== number)
      throw new Error(`requested block ${number}, the RPC returned ${found.number}`)
    return found
  }

  return {
    /** Host and port: the loggable part of a URL, which often contains a key. */
    name: new URL(url).host,
    request,
    chainId: async () => Number(await request<Hex>('eth_chainId', [])),
    /** Returns the number of the newest block. */
    head: async () => Number(await request<Hex>('eth_blockNumber', [])),
    header,
    /** Returns headers in the order of the numbers. */
    headers: (numbers: readonly number[]) => mapConcurrently(numbers, header),
    /** @param to The last block, inclusive. */
    async logs({ addresses, topics, thirdTopics }: LogFilter, from: number, to: number): Promise<ChainLog[]> {
      const topicFilter = thirdTopics === undefined ? [topics] : [topics, null, thirdTopics]
      const [fromBlock, toBlock] = [numberToHex(from), numberToHex(to)]
      const raw = await request<RawLog[]>('eth_getLogs', [
        { address: addresses, topics: topicFilter, fromBlock, toBlock },
      ])
      return raw.map(readLog)
    },
    /** Returns the senders of transactions, in order; null for an unknown one. */
    senders: (transactions: readonly Hex[]) =>
      mapConcurrently(transactions, async (hash) => {
        const found = await request<{ from: Hex } | null>('eth_getTransactionByHash', [hash])
        return found?.from ?? null
      }),
    /** Calls a contract at the newest block, or at `block`. */
    call: (to: Hex, data: Hex, block?: number) =>
      request<Hex>('eth_call', [{ to, data }, block === undefined ? 'latest' : numberToHex(block)]),
    /** Returns the code of a contract at a block, by default the newest: `0x` if there is none. */
    code: (address: Hex, block?: number) =>
      request<Hex>('eth_getCode', [address, block === undefined ? 'latest' : numberToHex(block)]),
    /** Runs the creation code of a contract that is not deployed, and returns what its constructor returns. */
    runCreation: (data: Hex) => request<Hex>('eth_call', [{ data }, 'latest']),
  }
}

/** Methods that return an object or null. */
const NULLABLE_METHODS: ReadonlySet<string> = new Set([
  'eth_getBlockByNumber',
  'eth_getTransactionByHash',
  'eth_getTransactionReceipt',
])

/** Some overloaded RPCs answer success without a result. All other results are hex texts. */
function isValidResult(method: string, result: unknown): boolean {
  if (NULLABLE_METHODS.has(method)) return typeof result === 'object'
  if (method === 'eth_getLogs') return Array.isArray(result)
  return typeof result === 'string' && result.startsWith('0x')
}

/** Converts a log of an RPC. @throws Error if it is in no block. */
export function readLog(raw: RawLog): ChainLog {
  const { blockNumber, blockHash, transactionHash, transactionIndex, logIndex } = raw
  if (raw.removed || blockNumber === null || blockHash === null || transactionHash === null) {
    throw new Error('the RPC returned a log that is in no block')
  }
  return {
    address: raw.address.toLowerCase() as Hex,
    topics: raw.topics,
    data: raw.data,
    blockNumber: Number(blockNumber),
    blockHash,
    transactionHash,
    transactionIndex: Number(transactionIndex),
    logIndex: Number(logIndex),
  }
}

async function mapConcurrently<In, Out>(
  list: readonly In[],
  work: (item: In) => Promise<Out>,
): Promise<Out[]> {
  const results: Out[] = []
  for (let start = 0; start < list.length; start += CONCURRENCY) {
    results.push(...(await Promise.all(list.slice(start, start + CONCURRENCY).map(work))))
  }
  return results
}
