import { type Address, getAddress } from 'viem'
import { type ChainName, chainNames, publicChains } from './chains.js'

/** A chain that this server follows, as the operator has configured it. */
export interface FollowedChain {
  readonly name: ChainName
  /** An RPC that reports another chain id is not used. */
  readonly chainId: number
  /** In the order of preference; at least one. */
  readonly rpcUrls: readonly string[]
  /** Blocks above a block that make it final. */
  readonly confirmations: number
}

/** The chain and the address of a contract. */
interface ContractAddress {
  readonly chain: ChainName
  readonly address: Address
}

/** Addresses of the protocol's contracts on the public chains (docs/protocol.md §5). */
const publicContracts = {
  idRegistry: contractAddress('optimism', '0x00000000Fc6c5F01Fc30151999387Bb99A9f489b'),
  idGateway: contractAddress('optimism', '0x00000000Fc25870C6eD6b6c7E41Fb078b7656f69'),
  keyRegistry: contractAddress('optimism', '0x00000000Fc1237824fb747aBDE0FF18990E59b7e'),
  keyGateway: contractAddress('optimism', '0x00000000fC56947c7E7183f8Ca4B62398CaAdf0B'),
  storageRegistry: contractAddress('optimism', '0x00000000fcCe7f938e7aE6D3c335bD6a1a7c593D'),
  keyRequestValidator: contractAddress('optimism', '0x00000000FC700472606ED4fA22623Acf62c60553'),
  tierRegistry: contractAddress('base', '0x00000000fc84484d585C3cF48d213424DFDE43FD'),
  ensRegistry: contractAddress('ethereum', '0x00000000000C2E074eC69A0dFb2997BA6C7d2e1e'),
  basenameRegistry: contractAddress('base', '0xB94704422c2a1E396835A571837Aa5AE53285a95'),
}

/** A contract of the protocol. */
export type ContractName = keyof typeof publicContracts

/** The registrar of channels. */
export interface ChannelRegistrar {
  readonly chain: ChainName
  /** Emits registrations and renewals. */
  readonly controller: Address
  /**
   * Says which token stands for the channels: the owner of the controller's root node. The registry has one
   * address on every Ethereum network.
   */
  readonly ensRegistry: Address
}

/** Configuration of chains. */
export interface ChainSettings {
  readonly chains: ReadonlyMap<ChainName, FollowedChain>
  readonly contracts: Readonly<Record<ContractName, ContractAddress>>
  /** Null unless the operator names a controller. */
  readonly channelRegistrar: ChannelRegistrar | null
  /** Block from which the registries of a chain are followed. */
  firstBlock(chain: ChainName): number
}

/** The same as texts of environment variables. */
export interface ChainVariables {
  /** URLs separated by commas, by chain. */
  readonly rpcUrls: Readonly<Partial<Record<ChainName, string | undefined>>>
  /** `optimism=11155420`, separated by commas. */
  readonly ids?: string | undefined
  /** `tierRegistry=optimism:0x…`, separated by commas. */
  readonly contracts?: string | undefined
  readonly confirmations?: number | undefined
  readonly firstBlock?: number | undefined
}

/** Reads what the operator has configured. @throws Error that names what cannot be used. */
export function readChainSettings(variables: ChainVariables): ChainSettings {
  const ids = new Map(parsePairs(variables.ids).map(([name, id]) => [chainName(name), Number(id)]))
  const chains = chainNames.flatMap((name) => {
    const rpcUrls = parseList(variables.rpcUrls[name])
    if (rpcUrls.length === 0) return []
    const chain: FollowedChain = {
      name,
      chainId: ids.get(name) ?? publicChains[name].chainId,
      rpcUrls,
      confirmations: variables.confirmations ?? publicChains[name].confirmations,
    }
    return [[name, chain] as const]
  })
  const { channelController, ...given } = readContracts(variables.contracts)
  const contracts = { ...publicContracts, ...given }
  return {
    chains: new Map(chains),
    contracts,
    channelRegistrar:
      channelController === undefined
        ? null
        : {
            chain: channelController.chain,
            controller: channelController.address,
            ensRegistry: contracts.ensRegistry.address,
          },
    firstBlock: (name) => variables.firstBlock ?? publicChains[name].firstBlock,
  }
}

/** A contract that the operator may name. The controller of channels has no public address yet. */
type ConfigurableContract = ContractName | 'channelController'

function readContracts(text: string | undefined): Partial<Record<ConfigurableContract, ContractAddress>> {
  const known = new Set<string>([...Object.keys(publicContracts), 'channelController'])
  return Object.fromEntries(
    parsePairs(text).map(([name, location = '']) => {
      if (!known.has(name)) throw new Error(`there is no contract "${name}"`)
      const [chain = '', address = ''] = location.split(':')
      return [name, contractAddress(chainName(chain), address)]
    }),
  )
}

function chainName(text: string): ChainName {
  const found = chainNames.find((name) => name === text)
  if (found === undefined) throw new Error(`there is no network "${text}"`)
  return found
}

function contractAddress(chain: ChainName, address: string): ContractAddress {
  return { chain, address: getAddress(address) }
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
