import { decodeFunctionResult, encodeFunctionData, type Hex, parseAbi, zeroAddress } from 'viem'
import { batchCall } from '../../hub/chain/batch-call.js'
import type { Endpoint } from '../../hub/chain/endpoint.js'
import { cutText } from '../../platform/text/cut-text.js'
import { readManyTokenDetails } from '../tokens/token-details.js'

/** Price of a period of a subscription, in the smallest unit of its token. */
export interface SubscriptionPrice {
  readonly periodSeconds: number
  readonly tokensPerPeriod: string
  readonly initialMintPrice: string
}

/** A tier of a contract of version 2. */
export interface SubscriptionTier {
  readonly id: number
  readonly price: SubscriptionPrice
}

/** A contract of Fabric's Subscription Token Protocol. */
export interface SubscriptionContract {
  /** Lowercase hex with 0x. */
  readonly address: Hex
  readonly version: 1 | 2
  readonly owner: Hex
  readonly name: string
  readonly symbol: string
  readonly contractUri: string
  /** Price of the first tier. */
  readonly price: SubscriptionPrice
  /** Empty for version 1. */
  readonly tiers: readonly SubscriptionTier[]
  /** The token that subscribers pay with; address null for the native coin. */
  readonly token: { readonly address: Hex | null; readonly symbol: string; readonly decimals: number }
}

/** A subscription as its contract reports it. */
export interface ContractSubscription {
  /** Unix seconds; 0 for an account that never subscribed. */
  readonly expiresAt: number
  /** Null for version 1. */
  readonly tierId: number | null
}

/** Tiers that are read; more exist in no known contract. */
const MAX_TIERS = 20
const MAX_TEXT_LENGTH = 200
const MAX_URI_LENGTH = 100_000
const WORD_DIGITS = 64
/** The last second of the year 9999. */
const MAX_SECONDS = 253_402_300_799n
const nativeCoin = { address: null, symbol: 'ETH', decimals: 18 }

const abi = parseAbi([
  'struct Gate { uint8 gateType; address contractAddress; uint256 componentId; uint256 balanceMin; }',
  'struct Tier { uint32 periodDurationSeconds; uint32 maxSupply; uint48 maxCommitmentSeconds; uint48 startTimestamp; uint48 endTimestamp; uint8 rewardCurveId; uint16 rewardBasisPoints; bool paused; bool transferrable; uint256 initialMintPrice; uint256 pricePerPeriod; Gate gate; }',
  'struct TierState { uint32 subCount; uint16 id; Tier params; }',
  'struct ContractView { uint16 tierCount; uint64 subCount; uint64 supplyCap; address transferRecipient; address currency; }',
  'function stpVersion() view returns (uint8)',
  'function owner() view returns (address)',
  'function name() view returns (string)',
  'function symbol() view returns (string)',
  'function contractURI() view returns (string)',
  'function tps() view returns (uint256)',
  'function minPurchaseSeconds() view returns (uint256)',
  'function erc20Address() view returns (address)',
  'function contractDetail() view returns (ContractView)',
  'function tierDetail(uint16) view returns (TierState)',
  'function subscriptionOf(address) view returns (uint256)',
])

const readNames = [
  'stpVersion',
  'owner',
  'name',
  'symbol',
  'contractURI',
  'tps',
  'minPurchaseSeconds',
  'erc20Address',
  'contractDetail',
] as const
type ReadName = (typeof readNames)[number]
type Reads = Readonly<Record<ReadName, Hex | null>>

/** Reads contracts in the order of the addresses; null for an address that is not a subscription contract. */
export async function readSubscriptionContracts(
  endpoint: Endpoint,
  addresses: readonly Hex[],
): Promise<(SubscriptionContract | null)[]> {
  const answers = await batchCall(
    endpoint,
    addresses.flatMap((to) =>
      readNames.map((functionName) => ({ to, data: encodeFunctionData({ abi, functionName }) })),
    ),
  )
  const contracts = addresses.map((address, index) => {
    const part = answers.slice(index * readNames.length, (index + 1) * readNames.length)
    return decodeContract(
      address,
      Object.fromEntries(readNames.map((name, at) => [name, part[at] ?? null])) as Reads,
    )
  })
  const found = contracts.flatMap((contract) => contract ?? [])
  const [tiers, tokens] = await Promise.all([readTiers(endpoint, found), readTokens(endpoint, found)])
  return contracts.map((contract) => {
    if (contract === null) return null
    const { currency, tierCount: _, ...rest } = contract
    const ownTiers = tiers.get(contract.address)!
    if (ownTiers === null) return null
    const price = ownTiers[0]?.price ?? contract.price
    return { ...rest, price, tiers: ownTiers, token: currency === null ? nativeCoin : tokens.get(currency)! }
  })
}

/** A subscription contract before its tiers and its token are read. */
type DecodedContract = Omit<SubscriptionContract, 'tiers' | 'token'> & {
  readonly tierCount: number
  readonly currency: Hex | null
}

function decodeContract(address: Hex, reads: Reads): DecodedContract | null {
  try {
    const shared = {
      address,
      owner: decodeAddress(reads.owner),
      name: decodeString('name', reads.name, MAX_TEXT_LENGTH),
      symbol: decodeString('symbol', reads.symbol, MAX_TEXT_LENGTH),
      contractUri: decodeString('contractURI', reads.contractURI, MAX_URI_LENGTH),
    }
    if (reads.stpVersion !== null && BigInt(reads.stpVersion) === 2n && reads.contractDetail !== null) {
      const detail = decodeFunctionResult({ abi, functionName: 'contractDetail', data: reads.contractDetail })
      const price = { periodSeconds: 0, tokensPerPeriod: '0', initialMintPrice: '0' }
      return { ...shared, version: 2, price, tierCount: detail.tierCount, currency: nonZero(detail.currency) }
    }
    if (reads.tps === null || reads.minPurchaseSeconds === null) return null
    const seconds = BigInt(reads.minPurchaseSeconds)
    const price = {
      periodSeconds: Number(seconds),
      tokensPerPeriod: String(BigInt(reads.tps) * seconds),
      initialMintPrice: '0',
    }
    const currency = reads.erc20Address === null ? null : nonZero(decodeAddress(reads.erc20Address))
    return { ...shared, version: 1, price, tierCount: 0, currency }
  } catch {
    // Another contract with functions of these names.
    return null
  }
}

function decodeAddress(word: Hex | null): Hex {
  if (word?.length !== 2 + WORD_DIGITS) throw new Error('not an address')
  return `0x${word.slice(-40)}`.toLowerCase() as Hex
}

function nonZero(address: Hex): Hex | null {
  return address === zeroAddress ? null : (address.toLowerCase() as Hex)
}

function decodeString(
  functionName: 'name' | 'symbol' | 'contractURI',
  data: Hex | null,
  maxLength: number,
): string {
  if (data === null) return ''
  return cutText(decodeFunctionResult({ abi, functionName, data }).replaceAll('\0', ''), maxLength)
}

/** Reads tiers by contract; null for a contract that answers with something else than tiers. */
async function readTiers(
  endpoint: Endpoint,
  contracts: readonly DecodedContract[],
): Promise<Map<Hex, SubscriptionTier[] | null>> {
  const tierReads = contracts.flatMap(({ address, tierCount }) =>
    Array.from({ length: Math.min(tierCount, MAX_TIERS) }, (_, index) => ({ address, id: index + 1 })),
  )
  const answers = await batchCall(
    endpoint,
    tierReads.map(({ address: to, id }) => ({
      to,
      data: encodeFunctionData({ abi, functionName: 'tierDetail', args: [id] }),
    })),
  )
  const tiers = new Map<Hex, SubscriptionTier[] | null>(contracts.map(({ address }) => [address, []]))
  for (const [index, { address, id }] of tierReads.entries()) {
    const [data, earlier] = [answers[index], tiers.get(address)]
    if (!data || !earlier) continue
    const price = decodeTierPrice(data)
    tiers.set(address, price && [...earlier, { id, price }])
  }
  return tiers
}

function decodeTierPrice(data: Hex): SubscriptionPrice | null {
  try {
    const { params } = decodeFunctionResult({ abi, functionName: 'tierDetail', data })
    return {
      periodSeconds: params.periodDurationSeconds,
      tokensPerPeriod: String(params.pricePerPeriod),
      initialMintPrice: String(params.initialMintPrice),
    }
  } catch {
    // Another contract with a function of this name.
    return null
  }
}

async function readTokens(
  endpoint: Endpoint,
  contracts: readonly DecodedContract[],
): Promise<Map<Hex, SubscriptionContract['token']>> {
  const currencies = [...new Set(contracts.flatMap(({ currency }) => currency ?? []))]
  const details = await readManyTokenDetails(endpoint, currencies)
  return new Map(
    currencies.map((address, index) => {
      const { symbol = '', decimals = 0 } = details[index] ?? {}
      return [address, { address, symbol, decimals }]
    }),
  )
}

/** Reads subscriptions of accounts (hex) in order, each at its contract. */
export async function readSubscriptions(
  endpoint: Endpoint,
  pairs: readonly {
    readonly contract: Pick<SubscriptionContract, 'address' | 'version'>
    readonly account: Hex
  }[],
): Promise<ContractSubscription[]> {
  const answers = await batchCall(
    endpoint,
    pairs.map(({ contract, account }) => ({
      to: contract.address,
      data: encodeFunctionData({ abi, functionName: 'subscriptionOf', args: [account] }),
    })),
  )
  return pairs.map(({ contract: { version } }, index) => {
    const words = wordsOf(answers[index] ?? '0x')
    // Version 1 returns the expiry last, after three words or, in older contracts, two.
    if (version === 1) return { expiresAt: toSeconds(words.at(-1)), tierId: null }
    return { expiresAt: toSeconds(words[2]), tierId: Number(words[0] ?? 0n) }
  })
}

function wordsOf(data: Hex): bigint[] {
  const digits = data.slice(2)
  return Array.from({ length: Math.floor(digits.length / WORD_DIGITS) }, (_, index) =>
    BigInt(`0x${digits.slice(index * WORD_DIGITS, (index + 1) * WORD_DIGITS)}`),
  )
}

/** Bounds a time to what dates can show: a creator may grant any number of seconds. */
function toSeconds(word = 0n): number {
  return word > MAX_SECONDS ? Number(MAX_SECONDS) : Number(word)
}
