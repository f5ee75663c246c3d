import type { Address } from 'viem'
import { getAddress } from 'viem'

/** The networks that the API speaks of. */
export const networkNames = ['ethereum', 'optimism', 'base', 'arbitrum'] as const

/** One of them. */
export type NetworkName = (typeof networkNames)[number]

/** A network that this server follows, as the operator has set it up. */
export interface ChainNetwork {
  readonly name: NetworkName
  /** What the chain has to call itself: an RPC of another chain is not used. */
  readonly chainId: number
  /** In the order of preference; at least one. */
  readonly rpcUrls: readonly string[]
  /** A block with so many above it is taken for final. */
  readonly confirmations: number
}

/** A contract and where it stands. */
export interface ContractAddress {
  readonly network: NetworkName
  readonly address: Address
}

/** The contracts of the protocol. */
export type ContractName =
  | 'idRegistry'
  | 'idGateway'
  | 'keyRegistry'
  | 'keyGateway'
  | 'storageRegistry'
  | 'keyRequestValidator'
  | 'tierRegistry'

/** What the operator has set up of chains. */
export interface ChainSettings {
  readonly networks: ReadonlyMap<NetworkName, ChainNetwork>
  readonly contracts: Readonly<Record<ContractName, ContractAddress>>
  /** Where the followers of the registries begin. */
  readonly firstBlocks: Readonly<Record<NetworkName, number>>
}

/** The same as the operator writes it: texts of environment variables. */
export interface ChainVariables {
  /** URLs with commas between them, by network. */
  readonly rpcUrls: Readonly<Partial<Record<NetworkName, string | undefined>>>
  /** `optimism=11155420`, with commas between them. */
  readonly ids?: string | undefined
  /** `tierRegistry=optimism:0x…`, with commas between them. */
  readonly contracts?: string | undefined
  readonly confirmations?: number | undefined
  readonly firstBlock?: number | undefined
}

const chainIds: Readonly<Record<NetworkName, number>> = {
  ethereum: 1,
  optimism: 10,
  base: 8_453,
  arbitrum: 42_161,
}

/**
 * How deep a block is final for all practice. Ethereum: two epochs are. The others have one sequencer, which does not
 * take back what it has said unless it fails: 20 blocks are 40 s of the first two, and 5 s of Arbitrum, which has 4 a second.
 */
const confirmations: Readonly<Record<NetworkName, number>> = {
  ethereum: 64,
  optimism: 20,
  base: 20,
  arbitrum: 100,
}

/** The first blocks that have anything of the protocol (docs/protocol.md §5). */
const firstBlocks: Readonly<Record<NetworkName, number>> = {
  ethereum: 0,
  optimism: 108_864_739,
  base: 31_180_908,
  arbitrum: 0,
}

/** Where the protocol's contracts stand (docs/protocol.md §5). */
const publicContracts: Readonly<Record<ContractName, ContractAddress>> = {
  idRegistry: contractAddress('optimism', '0x00000000Fc6c5F01Fc30151999387Bb99A9f489b'),
  idGateway: contractAddress('optimism', '0x00000000Fc25870C6eD6b6c7E41Fb078b7656f69'),
  keyRegistry: contractAddress('optimism', '0x00000000Fc1237824fb747aBDE0FF18990E59b7e'),
  keyGateway: contractAddress('optimism', '0x00000000fC56947c7E7183f8Ca4B62398CaAdf0B'),
  storageRegistry: contractAddress('optimism', '0x00000000fcCe7f938e7aE6D3c335bD6a1a7c593D'),
  keyRequestValidator: contractAddress('optimism', '0x00000000FC700472606ED4fA22623Acf62c60553'),
  tierRegistry: contractAddress('base', '0x00000000fc84484d585C3cF48d213424DFDE43FD'),
}

/**
 * Reads what the operator has written.
 *
 * @throws Error whose text tells what cannot be used.
 */
export function readChainSettings(variables: ChainVariables): ChainSettings {
  const ids = new Map(parsePairs(variables.ids).map(([name, id]) => [networkName(name), Number(id)]))
  const networks = networkNames.flatMap((name) => {
    const rpcUrls = parseList(variables.rpcUrls[name])
    if (rpcUrls.length === 0) return []
    const network: ChainNetwork = {
      name,
      chainId: ids.get(name) ?? chainIds[name],
      rpcUrls,
      confirmations: variables.confirmations ?? confirmations[name],
    }
    return [[name, network] as const]
  })
  const { firstBlock } = variables
  return {
    networks: new Map(networks),
    contracts: { ...publicContracts, ...readContracts(variables.contracts) },
    firstBlocks:
      firstBlock === undefined
        ? firstBlocks
        : { ethereum: firstBlock, optimism: firstBlock, base: firstBlock, arbitrum: firstBlock },
  }
}

function readContracts(text: string | undefined): Partial<Record<ContractName, ContractAddress>> {
  return Object.fromEntries(
    parsePairs(text).map(([name, location = '']) => {
      if (!Object.hasOwn(publicContracts, name)) throw new Error(`there is no contract "${name}"`)
      const [network = '', address = ''] = location.split(':')
      return [name, contractAddress(networkName(network), address)]
    }),
  )
}

function networkName(text: string): NetworkName {
  const found = networkNames.find((name) => name === text)
  if (found === undefined) throw new Error(`there is no network "${text}"`)
  return found
}

function contractAddress(network: NetworkName, address: string): ContractAddress {
  return { network, address: getAddress(address) }
}

function parsePairs(text: string | undefined): [string, string][] {
  return parseList(text).map((pair) => {
    const [name = '', value = ''] = pair.split('=')
    return [name.trim(), value.trim()]
  })
}

function parseList(text = ''): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
}
