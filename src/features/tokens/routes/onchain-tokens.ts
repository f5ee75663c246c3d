import { Type } from '@sinclair/typebox'
import { getAddress } from 'viem'
import { cursorKind, keyPart } from '../../../api/cursor.js'
import {
  cursorParameter,
  ethAddressParameter,
  limitParameter,
  listParameter,
} from '../../../api/parameters.js'
import type { ChainName } from '../../../hub/chain/chains.js'
import type { Database } from '../../../platform/db/connection.js'
import { PlazaError } from '../../../platform/errors.js'
import { bytesOfHex } from '../../../protocol/bytes.js'
import { defineOperation, type OperationContext } from '../../operation.js'
import { rpcOf } from '../on-demand-tokens.js'
import { decimalString } from '../present-token.js'
import {
  type TokenMetadata,
  TokenMetadataBatchResponse,
  TokenMetadataResponse,
  type WalletBalanceJson,
  WalletBalancesResponse,
} from '../schema/onchain-token.js'
import { readTokenMetadata } from '../token-metadata.js'
import { tradeNetworkOf, tradeNetworkParameter } from '../trade-network.js'
import { compareBalances, readWalletBalances, type WalletBalanceRow } from '../wallet-balances.js'

type TokenContext = Pick<OperationContext, 'db' | 'tokenTracking' | 'hydrator' | 'clock'>

/** Maximum age of a cached reply of the chain: a page of a wallet, or the metadata of a token. */
const MAX_AGE_MS = 10_000
const MAX_BATCH = 100

const exampleToken = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'

const byValue = cursorKind('balances by value', keyPart.number, keyPart.text, keyPart.text)

/** `GET /v2/onchain/token/balances` */
export const walletBalances = defineOperation({
  method: 'GET',
  path: '/onchain/token/balances',
  tag: 'Onchain',
  summary: 'Get wallet token balances',
  description:
    'Balances of an address in the ERC-20 tokens that this server knows, highest value in dollars first; tokens ' +
    'without a price last. Known tokens are the tracked ones and those of watched pools. Indexed balances come from ' +
    'the index, others from the contract. Native coins are not listed.',
  query: Type.Object({
    networks: listParameter(tradeNetworkParameter, { maxItems: 5, description: 'Networks to include.' }),
    address: ethAddressParameter({ description: 'Address of the wallet.' }),
    limit: limitParameter({ maximum: 100, default: 50 }),
    cursor: cursorParameter,
  }),
  reply: WalletBalancesResponse,

  async handle(context, { networks: named, address, limit, cursor }) {
    const networks = named.map((network) => tradeNetworkOf(context.tokenTracking, network, 'networks'))
    const after = byValue.decode(cursor)
    const rows = await balancesOf(context, address.toLowerCase(), networks)
    const rest = after === null ? rows : rows.filter((row) => compareBalances(row, keyRow(after)) > 0)
    const { page, next } = byValue.page(rest, limit, keyOf)
    return { balances: page.map(presentBalance), next }
  },
})

type BalanceKey = ReturnType<typeof keyOf>

function keyOf({ usd, network, address }: WalletBalanceRow): [number, string, string] {
  return [usd ?? -1, network, address]
}

function keyRow([usd, network, address]: BalanceKey): Parameters<typeof compareBalances>[1] {
  return {
    usd: usd === -1 ? null : usd,
    network: network as ChainName,
    address: address as WalletBalanceRow['address'],
  }
}

async function balancesOf(
  { tokenTracking, hydrator: { singleFlight } }: TokenContext,
  address: string,
  networks: readonly ChainName[],
): Promise<WalletBalanceRow[]> {
  const read = (db: Database) => readWalletBalances({ db, tokenTracking }, bytesOfHex(address), networks)
  const key = `balances of ${address} on ${networks.toSorted().join(' ')}`
  return await singleFlight.read(key, MAX_AGE_MS, async (db) => ({ value: await read(db), tags: [] }))
}

function presentBalance(row: WalletBalanceRow): WalletBalanceJson {
  return {
    address: getAddress(row.address),
    network: row.network,
    name: row.name,
    symbol: row.symbol,
    decimals: row.decimals,
    balance: String(row.balance),
    balance_usd: row.usd === null ? null : decimalString(row.usd),
    price_usd: row.priceUsd === null ? null : decimalString(row.priceUsd),
    image_url: row.logo,
  }
}

const marketText =
  'Name, symbol, decimals and supply come from the contract. Price, changes, volume and liquidity come from the ' +
  'trades and reserves of watched pools, and `holder_count` from the index of owners, above 1,000 as of the ' +
  'last ten minutes; they are null for a token without them. `market_cap` is null, because the circulating supply is not on the chain.'

/** `GET /v2/onchain/token/metadata` */
export const tokenMetadata = defineOperation({
  method: 'GET',
  path: '/onchain/token/metadata',
  tag: 'Onchain',
  summary: 'Get token metadata',
  description: marketText,
  query: Type.Object({
    network: tradeNetworkParameter,
    address: ethAddressParameter({ description: 'Contract address of the token.', examples: [exampleToken] }),
  }),
  reply: TokenMetadataResponse,
  notFound: 'The address is not an ERC-20 token.',

  async handle(context, { network: named, address }) {
    const network = tradeNetworkOf(context.tokenTracking, named)
    const [token] = await metadataOf(context, network, [address.toLowerCase()])
    if (token) return { token }
    throw new PlazaError('not_found', `there is no ERC-20 token ${address} on ${network}`, {
      property: 'address',
    })
  },
})

/** `GET /v2/onchain/token/metadata/batch` */
export const tokenMetadataBatch = defineOperation({
  method: 'GET',
  path: '/onchain/token/metadata/batch',
  tag: 'Onchain',
  summary: 'Batch get token metadata',
  description: `Metadata of up to ${MAX_BATCH} tokens, in order; null for an address without a token. ${marketText}`,
  query: Type.Object({
    networks: listParameter(tradeNetworkParameter, {
      maxItems: MAX_BATCH,
      uniqueItems: false,
      description: 'The network of each address, in the same order.',
    }),
    addresses: listParameter(
      ethAddressParameter({ description: 'Contract address of a token.', examples: [exampleToken] }),
      { maxItems: MAX_BATCH, uniqueItems: false, description: 'Contract addresses of tokens.' },
    ),
  }),
  reply: TokenMetadataBatchResponse,

  async handle(context, { networks: named, addresses }) {
    const networks = named.map((network) => tradeNetworkOf(context.tokenTracking, network, 'networks'))
    if (networks.length !== addresses.length) {
      const message = `addresses has ${addresses.length} items, and networks ${networks.length}: they are pairs`
      throw new PlazaError('bad_request.invalid_param', message, { property: 'addresses' })
    }
    const keys = addresses.map((address, index) => `${networks[index]!} ${address.toLowerCase()}`)
    const found = new Map<string, TokenMetadata | null>()
    await Promise.all(
      [...new Set(networks)].map(async (network) => {
        const named = [...new Set(keys)].flatMap((key) =>
          key.startsWith(`${network} `) ? [key.slice(-42)] : [],
        )
        const tokens = await metadataOf(context, network, named)
        for (const [index, address] of named.entries())
          found.set(`${network} ${address}`, tokens[index] ?? null)
      }),
    )
    return { tokens: keys.map((key) => found.get(key) ?? null) }
  },
})

/** Reads tokens of a network by their lowercase addresses, each at most every few seconds. */
async function metadataOf(
  { tokenTracking, clock, hydrator: { singleFlight } }: TokenContext,
  network: ChainName,
  addresses: readonly string[],
): Promise<(TokenMetadata | null)[]> {
  const rpc = rpcOf(tokenTracking, network)
  const read = (db: Database) => readTokenMetadata({ db, rpc, clock }, addresses.map(bytesOfHex))
  const key = `metadata of ${addresses.join(' ')} on ${network}`
  return await singleFlight.read(key, MAX_AGE_MS, async (db) => ({ value: await read(db), tags: [] }))
}
