import type { ChainRpc } from '../../hub/chain/chain-rpc.js'
import { type ChainName, rpcUrlsVariable } from '../../hub/chain/chains.js'
import type { Database } from '../../platform/db/connection.js'
import { PlazaError, refusalError } from '../../platform/errors.js'
import type { Log } from '../../platform/log/log.js'
import { pause } from '../../platform/process/pause.js'
import { isBackfilled, readTokens, type Token } from './token.js'
import { reportedRpc } from './token-metadata.js'
import { countOnDemandTokens, trackingLimitRefusal, trackToken } from './tracked-tokens.js'

/** Token tracking as configured by the operator. */
export interface TokenTracking {
  readonly rpcs: ReadonlyMap<ChainName, ChainRpc>
  readonly maxTrackedTokens: number
  /** How long a request waits for tokens whose owners are not indexed completely; not at all unless given. */
  readonly indexWaitMs?: number
}

const POLL_MS = 250

/**
 * Returns the RPC of a network, which `property` of the request names. Throws `not_configured` for one that is not followed,
 * `not_implemented` for Solana.
 */
export function rpcOf(
  { rpcs }: TokenTracking,
  network: ChainName | 'solana',
  property = 'network',
): ChainRpc {
  if (network === 'solana') {
    throw new PlazaError('not_implemented', 'tokens of Solana are not indexed', { property })
  }
  const rpc = rpcs.get(network)
  if (rpc !== undefined) return rpc
  const problem = `this server does not follow ${network}: its operator sets ${rpcUrlsVariable(network)}`
  throw new PlazaError('not_configured', problem, { property })
}

/**
 * Returns tracked tokens in order of address, and starts tracking the others on demand; those are ready
 * later.
 *
 * @throws PlazaError For an address that is not a token, an exceeded limit, and a network that is not
 * followed or unreachable.
 */
export async function ensureTrackedTokens(
  {
    db,
    writerDb,
    tokenTracking,
  }: { readonly db: Database; readonly writerDb: Database; readonly tokenTracking: TokenTracking },
  {
    network,
    addresses,
    property,
  }: { network: ChainName | 'solana'; addresses: readonly Buffer[]; property: string },
): Promise<Token[]> {
  const rpc = rpcOf(tokenTracking, network)
  const existing = await readTokens(db, { network: rpc.chain.name, addresses, onlyTracked: true })
  const tokens: Token[] = []
  for (const address of addresses) {
    const token =
      existing.find((each) => each.address.equals(address)) ??
      (await trackOnDemand(writerDb, rpc, address, tokenTracking.maxTrackedTokens))
    if ('message' in token) throw refusalError(token, property)
    tokens.push(token)
  }
  return tokens
}

/**
 * Returns the tokens as `ensureTrackedTokens` does, after a bounded wait for those that are not ready: the owners of a
 * small token are indexed in seconds, and published clients do not ask again.
 */
export async function awaitTrackedTokens(
  ...[context, request]: Parameters<typeof ensureTrackedTokens>
): Promise<Token[]> {
  let tokens = await ensureTrackedTokens(context, request)
  const { indexWaitMs = 0 } = context.tokenTracking
  for (let waitedMs = 0; waitedMs < indexWaitMs && !tokens.every(isBackfilled); waitedMs += POLL_MS) {
    await pause(POLL_MS)
    tokens = await ensureTrackedTokens(context, request)
  }
  return tokens
}

/** Logs once how many tokens are tracked on demand beyond the limit: a lower one than before stops no tracking. */
export async function reportTokensOverLimit(db: Database, limit: number, log: Log): Promise<void> {
  const tracked = await countOnDemandTokens(db)
  if (tracked <= limit) return
  log.warn(
    { tracked, limit, over: tracked - limit },
    'more tokens are tracked on demand than MAX_TRACKED_TOKENS, and none is added: plaza token list shows them, plaza token unwatch stops one',
  )
}

async function trackOnDemand(db: Database, rpc: ChainRpc, address: Buffer, limit: number) {
  const { name: network } = rpc.chain
  if ((await countOnDemandTokens(db)) >= limit) {
    // A concurrent request may have tracked it.
    const [tracked] = await readTokens(db, { network, addresses: [address], onlyTracked: true })
    return tracked ?? trackingLimitRefusal(address)
  }
  const request = { address, trackedBy: 'request' } as const
  return await trackToken(db, reportedRpc(rpc), request, limit)
}
