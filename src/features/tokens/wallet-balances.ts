import { encodeFunctionData, erc20Abi, formatUnits, type Hex } from 'viem'
import { batchCall } from '../../hub/chain/batch-call.js'
import type { ChainName } from '../../hub/chain/chains.js'
import { WORD_LENGTH } from '../../hub/chain/endpoint.js'
import type { Database } from '../../platform/db/connection.js'
import { rpcOf, type TokenTracking } from './on-demand-tokens.js'
import { fromChain } from './token-metadata.js'

/** A balance of an address. */
export interface WalletBalanceRow {
  readonly network: ChainName
  /** Address of the token, lowercase hex with 0x. */
  readonly address: Hex
  readonly name: string
  readonly symbol: string
  readonly decimals: number
  readonly logo: string | null
  readonly priceUsd: number | null
  /** In the token's smallest unit. */
  readonly balance: bigint
  /** Dollars; null without a price. */
  readonly usd: number | null
}

/** Known tokens that are read, tracked ones first. */
const MAX_TOKENS = 2_000

/**
 * Lists the balances of an address (20 bytes) in all known tokens of networks, highest value first; tokens without
 * a price last. Indexed balances come from the index, others from `balanceOf`.
 */
export async function readWalletBalances(
  { db, tokenTracking }: { readonly db: Database; readonly tokenTracking: TokenTracking },
  holder: Buffer,
  networks: readonly ChainName[],
): Promise<WalletBalanceRow[]> {
  type KnownToken = Omit<WalletBalanceRow, 'balance' | 'usd'> & { readonly indexed: string | null }
  const tokens = await db<KnownToken[]>`
    select t.network, '0x' || encode(t.address, 'hex') as address, t.name, t.symbol, t.decimals, t.logo,
      t.price_usd as "priceUsd", case when t.read_to >= t.live_from then coalesce(b.balance, 0)::text end as indexed
    from tokens.tokens t
    left join tokens.balances b on b.token_id = t.id and b.holder = ${holder}
    where t.network = any (${db.types.texts(networks)}::text[])
    order by t.tracked_by is null, t.id
    limit ${MAX_TOKENS}`
  const data = encodeFunctionData({
    abi: erc20Abi,
    functionName: 'balanceOf',
    args: [`0x${holder.toString('hex')}`],
  })
  const rows = await Promise.all(
    networks.map(async (network) => {
      const known = tokens.filter((token) => token.network === network)
      const unindexed = known.filter(({ indexed }) => indexed === null)
      const reads = unindexed.map(({ address }) => ({ to: address, data }))
      const answers =
        reads.length === 0
          ? []
          : await fromChain(rpcOf(tokenTracking, network), (endpoint) => batchCall(endpoint, reads))
      const balances = new Map(
        unindexed.map(({ address }, index) => [address, answers[index]?.slice(0, WORD_LENGTH) ?? null]),
      )
      return known.map((token) => toRow(token, token.indexed ?? balances.get(token.address) ?? null))
    }),
  )
  return rows
    .flat()
    .filter(({ balance }) => balance > 0n)
    .sort(compareBalances)
}

/** Sorts by value; equal ones by network and address, so that the order is total. */
export function compareBalances(
  a: Pick<WalletBalanceRow, 'usd' | 'network' | 'address'>,
  b: Pick<WalletBalanceRow, 'usd' | 'network' | 'address'>,
): number {
  if (a.usd !== b.usd) return (b.usd ?? -1) - (a.usd ?? -1)
  if (a.network !== b.network) return a.network < b.network ? -1 : 1
  return a.address < b.address ? -1 : Number(a.address > b.address)
}

function toRow(token: Omit<WalletBalanceRow, 'balance' | 'usd'>, amount: string | null): WalletBalanceRow {
  const balance = BigInt(amount ?? 0)
  const { priceUsd, decimals } = token
  const usd = priceUsd === null ? null : Number(formatUnits(balance, decimals)) * priceUsd
  return { ...token, balance, usd }
}
