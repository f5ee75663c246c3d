import {
  type AbiFunction,
  encodeFunctionData,
  getAddress,
  type Hex,
  numberToHex,
  parseAbi,
  slice,
  toFunctionSelector,
} from 'viem'
import { batchCall, callOrNull, isRevert } from '../../hub/chain/batch-call.js'
import { type Endpoint, WORD_LENGTH } from '../../hub/chain/endpoint.js'

/** A mint that a simulation has accepted. */
export interface MintCall {
  readonly functionAbi: AbiFunction
  readonly args: readonly unknown[]
  readonly data: Hex
  /** In wei. */
  readonly value: bigint
  readonly gas: bigint
}

/** A mint to look for. */
export interface MintRequest {
  readonly to: Hex
  readonly quantity: number
  /** The sender. It need not have the price. */
  readonly from: Hex
}

/** Functions with a receiver and a number. */
const quantityFunctions = parseAbi([
  'function mint(address to, uint256 quantity) payable',
  'function mintTo(address to, uint256 quantity) payable',
  'function safeMint(address to, uint256 quantity) payable',
])
/** Functions that mint one token to a receiver. */
const singleFunctions = parseAbi([
  'function mint(address to) payable',
  'function mintTo(address to) payable',
  'function safeMint(address to) payable',
])
/** Zora's drops: the fee of the protocol comes on top of the price. */
const zoraFunctions = parseAbi([
  'function mintWithRewards(address recipient, uint256 quantity, string comment, address mintReferral) payable',
])

const priceFunctions = ['price()', 'mintPrice()', 'cost()', 'pricePerToken()', 'publicPrice()', 'mintFee()']
const zoraFeeAbi = parseAbi([
  'function zoraFeeForAmount(uint256 amount) view returns (address recipient, uint256 fee)',
])
const supportsAbi = parseAbi(['function supportsInterface(bytes4 id) view returns (bool)'])
const ERC721_INTERFACE = '0x80ac58cd'
/** Bytes of calldata: after the selector, the last 20 of the first word. */
const [RECEIVER_START, RECEIVER_END] = [16, 36]
/** Balance of the simulated sender. */
const SIMULATED_BALANCE = 10n ** 24n

/** Whether a contract says that it is an ERC-721 (ERC-165). Others may accept any call without minting. */
export async function isErc721(endpoint: Endpoint, contract: Hex): Promise<boolean> {
  const data = encodeFunctionData({
    abi: supportsAbi,
    functionName: 'supportsInterface',
    args: [ERC721_INTERFACE],
  })
  const answer = await callOrNull(endpoint, { to: contract, data })
  return answer !== null && BigInt(answer.slice(0, WORD_LENGTH)) === 1n
}

/** Returns the receiver of a mint: every known function has it first. */
export function mintReceiver({ data }: Pick<MintCall, 'data'>): Hex {
  return getAddress(slice(data, RECEIVER_START, RECEIVER_END))
}

/** Prices and fee of a number of tokens, in wei. */
interface MintPrices {
  /** That the contract names, then 0. */
  readonly prices: readonly bigint[]
  /** Fee of Zora's protocol; null for another contract. */
  readonly fee: bigint | null
}

/**
 * Finds mints of one contract for many receivers. What a number of tokens costs is read once, and the function that was accepted
 * for a receiver is the first to be tried for the next: a contract has up to 49 candidates, each a request to the RPC.
 */
export class MintFinder {
  readonly #pricesByQuantity = new Map<number, MintPrices>()
  /** Index of the candidate that was accepted last, by quantity. */
  readonly #acceptedByQuantity = new Map<number, number>()

  constructor(private readonly contract: Hex) {}

  /** Finds the first known mint function that the contract accepts, with its price; null when it accepts none. */
  async find(endpoint: Endpoint, request: MintRequest): Promise<MintCall | null> {
    const { quantity, from } = request
    const candidates = candidatesFor(request, await this.#pricesOf(endpoint, quantity))
    const accepted = this.#acceptedByQuantity.get(quantity) ?? 0
    const others = candidates.map((_, index) => index).filter((index) => index !== accepted)
    for (const index of [accepted, ...others]) {
      const { functionAbi, args, value } = candidates[index]!
      const data = encodeFunctionData({ abi: [functionAbi], args } as never)
      const gas = await simulate(endpoint, { from, to: this.contract, data, value })
      if (gas === null) continue
      this.#acceptedByQuantity.set(quantity, index)
      return { functionAbi, args, data, value, gas }
    }
    return null
  }

  async #pricesOf(endpoint: Endpoint, quantity: number): Promise<MintPrices> {
    const known = this.#pricesByQuantity.get(quantity)
    if (known !== undefined) return known
    const read = {
      prices: await readPrices(endpoint, this.contract, quantity),
      fee: await readZoraFee(endpoint, this.contract, quantity),
    }
    this.#pricesByQuantity.set(quantity, read)
    return read
  }
}

/** The calls to try, in their order. */
function candidatesFor(
  { to, quantity }: MintRequest,
  { prices, fee }: MintPrices,
): Pick<MintCall, 'functionAbi' | 'args' | 'value'>[] {
  const simple = [...quantityFunctions, ...(quantity === 1 ? singleFunctions : [])]
  return [
    ...simple.flatMap((functionAbi) =>
      prices.map((value) => ({
        functionAbi,
        args: functionAbi.inputs.length === 1 ? [to] : [to, BigInt(quantity)],
        value,
      })),
    ),
    ...(fee === null
      ? []
      : prices.map((value) => ({
          functionAbi: zoraFunctions[0],
          args: [to, BigInt(quantity), '', to],
          value: value + fee,
        }))),
  ]
}

async function readPrices(endpoint: Endpoint, to: Hex, quantity: number): Promise<bigint[]> {
  const answers = await batchCall(
    endpoint,
    priceFunctions.map((signature) => ({ to, data: toFunctionSelector(signature) })),
  )
  const prices = answers.flatMap((answer) =>
    answer?.length === WORD_LENGTH ? [BigInt(answer) * BigInt(quantity)] : [],
  )
  return [...new Set([...prices.filter((price) => price < SIMULATED_BALANCE), 0n])]
}

async function readZoraFee(endpoint: Endpoint, to: Hex, quantity: number): Promise<bigint | null> {
  const data = encodeFunctionData({
    abi: zoraFeeAbi,
    functionName: 'zoraFeeForAmount',
    args: [BigInt(quantity)],
  })
  const answer = await callOrNull(endpoint, { to, data })
  if (answer === null || answer.length < 2 * WORD_LENGTH - 2) return null
  return BigInt(`0x${answer.slice(WORD_LENGTH, 2 * WORD_LENGTH - 2)}`)
}

/** How nodes say that no amount of gas suffices, besides naming a revert: geth, Nethermind and Besu. */
const REFUSED_ESTIMATE = /execution|insufficient|exceeds allowance|cannot be found/i

/** Returns the gas of a call from an address with enough money; null when it reverts. */
async function simulate(
  endpoint: Endpoint,
  { from, to, data, value }: Record<'from' | 'to' | 'data', Hex> & { readonly value: bigint },
): Promise<bigint | null> {
  const transaction = { from, to, data, value: numberToHex(value) }
  const override = { [from]: { balance: numberToHex(SIMULATED_BALANCE) } }
  try {
    return BigInt(await endpoint.request<Hex>('eth_estimateGas', [transaction, 'latest', override]))
  } catch (error) {
    if (isRevert(error) || (error instanceof Error && REFUSED_ESTIMATE.test(error.message))) return null
    throw error
  }
}
