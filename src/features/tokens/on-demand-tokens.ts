import type { ChainRpc } from '../../hub/chain/chain-rpc.js'
import { type NetworkName, rpcUrlsVariable } from '../../hub/chain/networks.js'
import type { Database } from '../../platform/db/connection.js'
import { PlazaError, type Refusal } from '../../platform/errors.js'
import { readTokens, type Token } from './token.js'
import { countOnDemandTokens, trackingLimitRefusal, trackToken } from './tracked-tokens.js'

/** Token tracking as configured by the operator. */
export interface Assets {
  /** The followed networks. */
  readonly rpcs: ReadonlyMap<NetworkName, ChainRpc>
  /** Most tokens tracked on demand. */
  readonly maxTrackedTokens: number
}

/**
 * Returns the RPC of a network.
 *
 * @throws PlazaError `not_configured` for a network that is not followed.
 */
export function rpcOf({ rpcs }: Assets, network: NetworkName): ChainRpc {
  const rpc = rpcs.get(network)
  if (rpc !== undefined) return rpc
  throw new PlazaError(
    'not_configured',
    `this server does not follow ${network}: its operator sets ${rpcUrlsVariable(network)}`,
    { property: 'network' },
  )
}

/** The tokens whose owners are requested. */
export interface TokenSelection {
  readonly network: NetworkName
  /** 20 bytes each. */
  readonly addresses: readonly Buffer[]
  /** The parameter that names them. */
  readonly property: string
}

/**
 * Returns tracked tokens in order of address, and starts tracking the others on demand; those are ready
 * later.
 *
 * @throws PlazaError For an address that is not a token, an exceeded limit, and a network that is not
 * followed or unreachable.
 */
export async function ensureTrackedTokens(
  { db, writerDb, assets }: { readonly db: Database; readonly writerDb: Database; readonly assets: Assets },
  { network, addresses, property }: TokenSelection,
): Promise<Token[]> {
  const rpc = rpcOf(assets, network)
  const existing = await readTokens(db, { network, addresses, onlyTracked: true })
  const tokens: Token[] = []
  for (const address of addresses) {
    const token = existing.find((each) => each.address.equals(address))
    tokens.push(
      token ??
        (await trackOnDemand(writerDb, rpc, {
          address,
          property,
          maxTrackedTokens: assets.maxTrackedTokens,
        })),
    )
  }
  return tokens
}

async function trackOnDemand(
  db: Database,
  rpc: ChainRpc,
  { address, property, maxTrackedTokens }: { address: Buffer; property: string; maxTrackedTokens: number },
): Promise<Token> {
  if ((await countOnDemandTokens(db)) >= maxTrackedTokens) {
    // A concurrent request may have tracked it.
    const [tracked] = await readTokens(db, {
      network: rpc.network.name,
      addresses: [address],
      onlyTracked: true,
    })
    if (tracked !== undefined) return tracked
    throw refusalError(trackingLimitRefusal(address), property)
  }
  const token = await trackToken(db, rpc, { address, trackedBy: 'request' }, maxTrackedTokens).catch(
    (cause: unknown) => {
      throw new PlazaError('unavailable.other_side', `${rpc.network.name} is unreachable`, { cause })
    },
  )
  if ('message' in token) throw refusalError(token, property)
  return token
}

function refusalError({ code, message }: Refusal, property: string): PlazaError {
  return new PlazaError(code, message, { property })
}
