import { type TOptional, type TString, Type } from '@sinclair/typebox'
import { type ChainName, chainNames, publicChains, rpcUrlsVariable } from '../../hub/chain/chains.js'
import { flag, integer, text } from './variable.js'

const NETWORK = `(${chainNames.join('|')})`
const CONTRACT = `((id|key|storage|tier|ens|basename)Registry|(id|key)Gateway|keyRequestValidator|channelController)=${NETWORK}:0x[0-9a-fA-F]{40}`
const FOLLOWED_CONTRACT = `${NETWORK}:0x[0-9a-fA-F]{40}`

function rpcUrls(network: string): TString {
  return text(
    `RPC URLs of ${network}. The first is used, the next one when it fails. About names and contract wallets, all are asked and two must agree. Set them for all processes. Unset: the chain is not followed.`,
    {
      pattern: '^https?://[^\\s,]+(\\s*,\\s*https?://[^\\s,]+)*$',
      patternText: 'URLs like `https://rpc.example`, separated by commas',
      secret: true,
    },
  )
}

/** One variable for each supported network. */
const rpcUrlVariables = Object.fromEntries(
  chainNames.map((name) => [rpcUrlsVariable(name), Type.Optional(rpcUrls(publicChains[name].title))]),
) as Record<ReturnType<typeof rpcUrlsVariable<ChainName>>, TOptional<TString>>

/** Variables of the followed blockchains. */
export const chainVariables = {
  ...rpcUrlVariables,
  CHAIN_REGISTRIES: flag(
    'Turns events of the registries on these chains into on-chain events of the hub.',
    true,
  ),
  NAME_RECHECK_HOURS: integer(
    'Hours after which a stored ENS name or basename is resolved again. One that no longer resolves to its owner is ' +
      'removed. 0 never does it, as the nodes of the network; names that older versions merged unchecked are checked ' +
      'once in any case.',
    { minimum: 0, maximum: 8_760, default: 0 },
  ),
  MAX_TRACKED_TOKENS: integer(
    'Maximum number of tokens whose balances are tracked because of a request. 0 tracks only watched tokens ' +
      '(`plaza token watch`). A lower one than before stops no tracking.',
    { minimum: 0, maximum: 100_000, default: 100 },
  ),
  SUBSCRIPTION_CONTRACTS: Type.Optional(
    text(
      'Subscription contracts (Subscription Token Protocol, versions 1 and 2) whose subscribers are indexed. ' +
        'Their networks need RPC URLs.',
      {
        pattern: `^${FOLLOWED_CONTRACT}(\\s*,\\s*${FOLLOWED_CONTRACT}){0,199}$`,
        patternText: 'up to 200 pairs like `base:0x…`, separated by commas',
      },
    ),
  ),
  CHAIN_POLL_MS: integer('Milliseconds between two polls of a chain that has no new block.', {
    minimum: 20,
    maximum: 600_000,
    default: 2_000,
  }),
  CHAIN_IDS: Type.Optional(
    text(
      'Chain ids of networks whose RPC URLs lead to another chain, such as a test network. A network stays with its chain for good.',
      {
        pattern: `^${NETWORK}=\\d{1,15}(\\s*,\\s*${NETWORK}=\\d{1,15})*$`,
        patternText: 'pairs like `optimism=11155420`, separated by commas',
      },
    ),
  ),
  CHAIN_CONTRACTS: Type.Optional(
    text(
      "Addresses of the protocol's contracts where they differ from those on the public networks. " +
        '`channelController`, which registers channels, has no public address yet: without it no registrations of channels are read.',
      {
        pattern: `^${CONTRACT}(\\s*,\\s*${CONTRACT})*$`,
        patternText: 'pairs like `tierRegistry=base:0x…`, separated by commas',
      },
    ),
  ),
  CHAIN_CONFIRMATIONS: Type.Optional(
    integer(
      'Number of later blocks after which a block is final. Events of younger blocks do not reach the hub.',
      { minimum: 0, maximum: 10_000, defaultText: 'by network' },
    ),
  ),
  CHAIN_MAX_FEE_GWEI: integer(
    'Maximum fee per gas that wallets offer, in gwei. Above it, transactions wait.',
    { minimum: 1, maximum: 1_000_000, default: 20 },
  ),
  CHAIN_FIRST_BLOCK: Type.Optional(
    integer(
      'First block that is read for the registries. Use 0 on a development chain. A lower one than before: they are read again from there.',
      {
        minimum: 0,
        maximum: Number.MAX_SAFE_INTEGER,
        defaultText: 'by network',
      },
    ),
  ),
}
