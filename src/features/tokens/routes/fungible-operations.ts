import { Type } from '@sinclair/typebox'
import { getAddress, type Hex } from 'viem'
import { listParameter, viewerFidParameter } from '../../../api/parameters.js'
import { viewerOf } from '../../../api/viewer.js'
import type { ChainRpc } from '../../../hub/chain/chain-rpc.js'
import { type ChainName, chainNames } from '../../../hub/chain/chains.js'
import { PlazaError } from '../../../platform/errors.js'
import { defineOperation, type Operation } from '../../operation.js'
import { rpcOf, type TokenTracking } from '../on-demand-tokens.js'
import { presentToken, type TokenSummary } from '../present-token.js'
import { FungiblesResponse } from '../schema/fungible.js'
import { countCastsOfUrls, readSupplies, readTokens } from '../token.js'
import { readTokenDetails } from '../token-details.js'
import { userBalance } from './balance.js'
import { tokenMetadata, tokenMetadataBatch, walletBalances } from './onchain-tokens.js'
import { fungibleOwnersRelevant, fungibleOwnersRelevantBulk } from './token-owners.js'
import { fungibleTrades, fungibleTrending } from './trades.js'

const MAX_TOKENS = 25

const TOKEN_NAME_PATTERN = /^eip155:(\d{1,15})\/erc20:0x([0-9a-fA-F]{40})$/

const nameParameter = Type.String({
  pattern: TOKEN_NAME_PATTERN.source,
  patternText: 'the CAIP-19 name of an ERC-20 token: `eip155:8453/erc20:0x…`',
  examples: ['eip155:8453/erc20:0x833589fcd6edb6e08f4c7c32d4f71b54bda02913'],
})

const fungibles = defineOperation({
  method: 'GET',
  path: 'fungibles',
  tag: 'Onchain',
  summary: 'Fetch fungibles',
  description:
    'Name, symbol and decimals of each token, its supply if this server indexes its owners, and the ' +
    'number of casts that embed its CAIP-19 name. Addresses that are no token are left out. With ' +
    '`viewer_fid`, casts of users whom the viewer blocks or mutes do not count.',
  query: Type.Object({
    fungibles: listParameter(nameParameter, {
      maxItems: MAX_TOKENS,
      description: 'CAIP-19 names: `eip155:<chain id>/erc20:<address>`.',
    }),
    viewer_fid: viewerFidParameter,
  }),
  reply: FungiblesResponse,

  async handle({ db, hydrator, tokenTracking }, { fungibles: names, viewer_fid }, caller) {
    const tokens = joinSpellings(names.map((name) => toNamedToken(name, tokenTracking)))
    const addresses = tokens.map(({ address }) => address)
    const known = await readTokens(db, { addresses })
    const knownIds = known.map(({ id }) => id)
    const spellings = tokens.flatMap((token) => token.spellings)
    const viewer = await viewerOf({ hydrator }, caller, viewer_fid)
    const [supplies, counts] = await Promise.all([
      readSupplies(db, knownIds),
      countCastsOfUrls(db, spellings, viewer),
    ])
    const shownTokens = await Promise.all(
      tokens.map(async (each) => {
        const token = known.find((one) => one.network === each.network && one.address.equals(each.address))
        const details: TokenSummary | null = token ?? (await readUntrackedToken(tokenTracking, each))
        if (details === null) return []
        const casts = each.spellings.reduce((sum, spelling) => sum + (counts.get(spelling) ?? 0), 0)
        const fungible = presentToken(details, token && supplies.get(token.id))
        return [{ object: 'farcaster_fungible' as const, fungible, cast_count: casts }]
      }),
    )
    return { fungibles: shownTokens.flat() }
  },
})

function toNamedToken(name: string, tokenTracking: TokenTracking): TokenReference {
  const token = parseTokenName(name, tokenTracking.rpcs)
  if (token !== null) return token
  const problem = `this server does not index the chain of ${name}`
  throw new PlazaError('not_configured', problem, { property: 'fungibles' })
}

/** Reads the details of an untracked token from its contract. */
async function readUntrackedToken(tokenTracking: TokenTracking, { network, address }: TokenReference) {
  const hex: Hex = `0x${address.toString('hex')}`
  const details = await rpcOf(tokenTracking, network)
    .withEndpoint((endpoint) => readTokenDetails(endpoint, hex))
    .catch((cause: unknown) => {
      throw new PlazaError('unavailable.other_side', `${network} does not answer`, { cause })
    })
  return details && { ...details, network, address, logo: null }
}

interface TokenReference {
  readonly network: ChainName
  /** 20 bytes. */
  readonly address: Buffer
  /** Spellings of its name in casts: as requested, in lowercase, and with checksum. */
  readonly spellings: readonly string[]
}

/** Parses a name such as `eip155:8453/erc20:0x…`; null for an unknown chain. */
function parseTokenName(name: string, rpcs: ReadonlyMap<ChainName, Pick<ChainRpc, 'chain'>>) {
  const [, chainId = '', hex = ''] = TOKEN_NAME_PATTERN.exec(name) ?? []
  const network = chainNames.find((each) => rpcs.get(each)?.chain.chainId === Number(chainId))
  if (network === undefined || hex === '') return null
  const checksummed = getAddress(`0x${hex.toLowerCase()}`)
  const spellings = new Set([name, name.toLowerCase(), `eip155:${chainId}/erc20:${checksummed}`])
  return { network, address: Buffer.from(hex, 'hex'), spellings: [...spellings] }
}

/** Has each token once, with the spellings of all of its names. */
function joinSpellings(tokens: readonly TokenReference[]): TokenReference[] {
  const joined = new Map<string, TokenReference>()
  for (const token of tokens) {
    const key = `${token.network} ${token.address.toString('hex')}`
    const spellings = new Set([...(joined.get(key)?.spellings ?? []), ...token.spellings])
    joined.set(key, { ...token, spellings: [...spellings] })
  }
  return [...joined.values()]
}

/** Operations on tokens. */
export const fungibleOperations: readonly Operation[] = [
  fungibleOwnersRelevant,
  fungibleOwnersRelevantBulk,
  fungibles,
  fungibleTrades,
  fungibleTrending,
  tokenMetadata,
  tokenMetadataBatch,
  userBalance,
  walletBalances,
]
