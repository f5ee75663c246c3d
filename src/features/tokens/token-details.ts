import {
  decodeFunctionResult,
  encodeFunctionData,
  erc20Abi,
  type Hex,
  HttpRequestError,
  hexToString,
  LimitExceededRpcError,
  parseAbi,
  RpcError,
} from 'viem'
import { batchCall, callOrNull } from '../../hub/chain/batch-call.js'
import { type Endpoint, WORD_LENGTH } from '../../hub/chain/endpoint.js'
import { cutText } from '../../platform/text/cut-text.js'

/** Metadata of a token contract. */
export interface TokenDetails {
  readonly name: string
  readonly symbol: string
  readonly decimals: number
  /** In the smallest unit. */
  readonly totalSupply: bigint
}

/** Longer names are truncated: anyone can deploy a token with any name. */
const MAX_NAME_LENGTH = 200
const MAX_SYMBOL_LENGTH = 50
/** Above this, amounts have no meaningful unit. */
const MAX_DECIMALS = 77
const TIMED_OUT = 408
const TOO_MANY = 429

const poolAbi = parseAbi([
  'function token0() view returns (address)',
  'function token1() view returns (address)',
])

/** Reads a token; null when the contract is not an ERC-20 token. */
export async function readTokenDetails(endpoint: Endpoint, address: Hex): Promise<TokenDetails | null> {
  const [details] = await readManyTokenDetails(endpoint, [address])
  return details ?? null
}

/** Reads tokens in the order of the addresses; null for a contract that is not an ERC-20 token. */
export async function readManyTokenDetails(
  endpoint: Endpoint,
  addresses: readonly Hex[],
): Promise<(TokenDetails | null)[]> {
  const functionNames = ['name', 'symbol', 'decimals', 'totalSupply'] as const
  const answers = await batchCall(
    endpoint,
    addresses.flatMap((to) =>
      functionNames.map((functionName) => ({
        to,
        data: encodeFunctionData({ abi: erc20Abi, functionName }),
      })),
    ),
  )
  return addresses.map((_, index) => {
    const [name = null, symbol = null, decimals = null, supply = null] = answers.slice(
      4 * index,
      4 * index + 4,
    )
    if (decimals?.length !== WORD_LENGTH || supply === null) return null
    if (BigInt(decimals) > MAX_DECIMALS) return null
    return {
      name: cutText(decodeText('name', name), MAX_NAME_LENGTH),
      symbol: cutText(decodeText('symbol', symbol), MAX_SYMBOL_LENGTH),
      decimals: Number(decimals),
      totalSupply: BigInt(supply.slice(0, WORD_LENGTH)),
    }
  })
}

/** Reads the two tokens of a pool; null when the contract is not a pool. */
export async function readPoolTokens(endpoint: Endpoint, address: Hex): Promise<[Hex, Hex] | null> {
  const callToken = (functionName: 'token0' | 'token1') =>
    callOrNull(endpoint, { to: address, data: encodeFunctionData({ abi: poolAbi, functionName }) })
  const replies = await Promise.all([callToken('token0'), callToken('token1')])
  const tokens = replies.flatMap((replyWord) =>
    replyWord?.length === WORD_LENGTH ? [`0x${replyWord.slice(-40)}`.toLowerCase() as Hex] : [],
  )
  return tokens.length === 2 ? [tokens[0]!, tokens[1]!] : null
}

/**
 * Finds the first block with a contract's code, by binary search.
 *
 * Returns 0 when the node keeps no old states. Reading from there takes longer, days on a long chain, with
 * the same result.
 *
 * @throws Transient RPC errors; a retry may succeed.
 */
export async function findFirstBlock(endpoint: Endpoint, address: Hex): Promise<number> {
  let [lastBlockWithout, firstBlockWith] = [-1, await endpoint.head()]
  try {
    while (firstBlockWith - lastBlockWithout > 1) {
      const middle = Math.floor((firstBlockWith + lastBlockWithout) / 2)
      if ((await endpoint.code(address, middle)) === '0x') lastBlockWithout = middle
      else firstBlockWith = middle
    }
    return firstBlockWith
  } catch (error) {
    if (isPermanentError(error)) return 0
    throw error
  }
}

/** Whether an RPC error is permanent: the node is reachable and not overloaded, but refuses the request. */
function isPermanentError(error: unknown): boolean {
  if (error instanceof HttpRequestError) {
    const { status = 0 } = error
    return status >= 400 && status < 500 && status !== TIMED_OUT && status !== TOO_MANY
  }
  return error instanceof RpcError && !(error instanceof LimitExceededRpcError)
}

/** Some early tokens return 32 bytes instead of a string. */
function decodeText(functionName: 'name' | 'symbol', data: Hex | null): string {
  if (data === null) return ''
  try {
    const isWord = data.length === WORD_LENGTH
    const text = isWord ? hexToString(data) : decodeFunctionResult({ abi: erc20Abi, functionName, data })
    // Without zero characters, which PostgreSQL cannot store, and lone surrogates.
    return Buffer.from(text.replaceAll('\0', '')).toString()
  } catch {
    return ''
  }
}
