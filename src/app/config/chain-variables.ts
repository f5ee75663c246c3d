import { type TOptional, type TString, Type } from '@sinclair/typebox'
import { type NetworkName, networkNames, publicNetworks, rpcUrlsVariable } from '../../hub/chain/networks.js'
import { flag, integer, text } from './variable.js'

const NETWORK = `(${networkNames.join('|')})`
const CONTRACT = `((id|key|storage|tier)Registry|(id|key)Gateway|keyRequestValidator)=${NETWORK}:0x[0-9a-fA-F]{40}`

function rpcUrls(network: string): TString {
  return text({
    pattern: '^https?://[^\\s,]+(\\s*,\\s*https?://[^\\s,]+)*$',
    patternText: 'addresses like `https://rpc.example`, separated by commas',
    secret: true,
    description: `RPC URLs of ${network}: the first is used, the next when it fails. Unset: it is not followed.`,
  })
}

/** One variable for each network of the table. */
const rpcUrlVariables = Object.fromEntries(
  networkNames.map((name) => [rpcUrlsVariable(name), Type.Optional(rpcUrls(publicNetworks[name].title))]),
) as Record<ReturnType<typeof rpcUrlsVariable<NetworkName>>, TOptional<TString>>

/** Blockchains. */
export const chainVariables = {
  ...rpcUrlVariables,
  CHAIN_REGISTRIES: flag({
    default: true,
    description: 'Whether what happens in the registries on these chains becomes the events of the hub.',
  }),
  MAX_TRACKED_TOKENS: integer({
    minimum: 0,
    maximum: 100_000,
    default: 100,
    description:
      'Most tokens whose owners are kept because somebody has asked for them; 0: only those that are watched.',
  }),
  CHAIN_POLL_MS: integer({
    minimum: 20,
    maximum: 600_000,
    default: 2_000,
    description: 'How often a chain is asked for new blocks when there were none, in milliseconds.',
  }),
  CHAIN_IDS: Type.Optional(
    text({
      pattern: `^${NETWORK}=\\d{1,15}(\\s*,\\s*${NETWORK}=\\d{1,15})*$`,
      patternText: 'pairs like `optimism=11155420`, separated by commas',
      description: 'The chain ids of networks whose RPC URLs lead to another chain, such as a test network.',
    }),
  ),
  CHAIN_CONTRACTS: Type.Optional(
    text({
      pattern: `^${CONTRACT}(\\s*,\\s*${CONTRACT})*$`,
      patternText: 'places like `tierRegistry=base:0x…`, separated by commas',
      description:
        "Where the protocol's contracts stand, as far as it is elsewhere than on the real networks.",
    }),
  ),
  CHAIN_CONFIRMATIONS: Type.Optional(
    integer({
      minimum: 0,
      maximum: 10_000,
      defaultText: 'by network',
      description: 'How many blocks above it make a block final: before, nothing of it reaches the hub.',
    }),
  ),
  CHAIN_MAX_FEE_GWEI: integer({
    minimum: 1,
    maximum: 1_000_000,
    default: 20,
    description:
      'The most that wallets offer for a unit of gas, in gwei: they wait while the network asks for more.',
  }),
  CHAIN_FIRST_BLOCK: Type.Optional(
    integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      defaultText: 'by network',
      description: 'The block that the registries are followed from: 0 on a development chain.',
    }),
  ),
}
