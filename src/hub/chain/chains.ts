/** A public chain; the operator may set up another one in its place. */
interface PublicChain {
  /** Name and use, for the documentation of its variable. */
  readonly title: string
  readonly chainId: number
  /** Blocks above a block that make it final in practice. */
  readonly confirmations: number
  /** First block that holds anything of the protocol (docs/protocol.md §5). */
  readonly firstBlock: number
  /** Website that shows its transactions and addresses, without a slash at its end. */
  readonly explorer: string
}

/**
 * Every chain that Plaza can follow. Names in the API, `CHAIN_<NAME>_RPC_URLS`, command arguments and defaults
 * derive from this table: to add a chain, add an entry.
 *
 * Confirmations: Ethereum is final after two epochs. The others have one sequencer, which takes nothing back unless it
 * fails: 20 blocks are 40 s of the first two, 100 blocks are 25 s of Arbitrum.
 */
export const publicChains = {
  ethereum: {
    title: 'Ethereum, which has ENS names',
    chainId: 1,
    confirmations: 64,
    firstBlock: 0,
    explorer: 'https://etherscan.io',
  },
  optimism: {
    title: 'OP Mainnet, which has the registries of fids, keys and storage',
    chainId: 10,
    confirmations: 20,
    firstBlock: 108_864_739,
    explorer: 'https://optimistic.etherscan.io',
  },
  base: {
    title: 'Base, which has the registry of the pro tier and basenames',
    chainId: 8_453,
    confirmations: 20,
    firstBlock: 31_180_908,
    explorer: 'https://basescan.org',
  },
  arbitrum: {
    title: 'Arbitrum',
    chainId: 42_161,
    confirmations: 100,
    firstBlock: 0,
    explorer: 'https://arbiscan.io',
  },
} as const satisfies Readonly<Record<string, PublicChain>>

/** The name of a chain in the API and in variables. */
export type ChainName = keyof typeof publicChains

/** All names, in the order of the table. */
export const chainNames = Object.keys(publicChains) as ChainName[]

/** Returns the explorer of the public chain with this name in `accounts.wallets`, such as `eip155:10`; null for others. */
export function explorerOf(chain: string): string | null {
  const found = Object.values(publicChains).find(({ chainId }) => chain === `eip155:${chainId}`)
  return found?.explorer ?? null
}

/** Returns the environment variable that holds the RPC URLs of a chain. */
export function rpcUrlsVariable<Name extends ChainName>(name: Name): `CHAIN_${Uppercase<Name>}_RPC_URLS` {
  return `CHAIN_${name.toUpperCase() as Uppercase<Name>}_RPC_URLS`
}
