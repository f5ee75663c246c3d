import type { ChainRpc } from '../../hub/chain/chain-rpc.js'
import type { NetworkName } from '../../hub/chain/networks.js'
import type { Database } from '../../platform/db/connection.js'
import { PlazaError, type Refusal } from '../../platform/errors.js'
import { countAsked, keepToken, oneTooMany } from './kept-tokens.js'
import { readTokens, type Token } from './token.js'

/** Assets, as far as the operator has set them up. */
export interface Assets {
  /** The networks that are followed. */
  readonly rpcs: ReadonlyMap<NetworkName, ChainRpc>
  /** Most tokens whose owners are kept because somebody has asked for them. */
  readonly maxAsked: number
}

/** The access to a network. @throws PlazaError `not_configured` when it is not followed. */
export function rpcOf({ rpcs }: Assets, network: NetworkName): ChainRpc {
  const rpc = rpcs.get(network)
  if (rpc !== undefined) return rpc
  throw new PlazaError(
    'not_configured',
    `this server does not follow ${network}: its operator sets CHAIN_${network.toUpperCase()}_RPC_URLS`,
    { property: 'network' },
  )
}

/** Whose owners are wanted. */
export interface TokensWanted {
  readonly network: NetworkName
  /** 20 bytes each. */
  readonly addresses: readonly Buffer[]
  /** The parameter that names them. */
  readonly property: string
}

/**
 * Tokens whose owners are kept, in the order of their addresses. Those that are not are asked for: from now on they
 * are, and some time later they are ready.
 *
 * @throws PlazaError for what is no token, what is one too many, and a network that is not followed or does not answer.
 */
export async function tokensWithOwners(
  { db, writerDb, assets }: { readonly db: Database; readonly writerDb: Database; readonly assets: Assets },
  { network, addresses, property }: TokensWanted,
): Promise<Token[]> {
  const rpc = rpcOf(assets, network)
  const known = await readTokens(db, { network, addresses, onlyKept: true })
  const tokens: Token[] = []
  for (const address of addresses) {
    const token = known.find((each) => each.address.equals(address))
    tokens.push(token ?? (await askFor(writerDb, rpc, { address, property, maxAsked: assets.maxAsked })))
  }
  return tokens
}

async function askFor(
  db: Database,
  rpc: ChainRpc,
  { address, property, maxAsked }: { address: Buffer; property: string; maxAsked: number },
): Promise<Token> {
  if ((await countAsked(db)) >= maxAsked) {
    // It may be one of them by now.
    const [kept] = await readTokens(db, { network: rpc.network.name, addresses: [address], onlyKept: true })
    if (kept !== undefined) return kept
    throw refused(oneTooMany(address), property)
  }
  const token = await keepToken(db, rpc, { address, keptFor: 'request' }, maxAsked).catch(
    (cause: unknown) => {
      throw new PlazaError('unavailable.other_side', `${rpc.network.name} does not answer`, { cause })
    },
  )
  if ('message' in token) throw refused(token, property)
  return token
}

function refused({ code, message }: Refusal, property: string): PlazaError {
  return new PlazaError(code, message, { property })
}
