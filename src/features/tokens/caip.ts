import { getAddress } from 'viem'
import type { ChainRpc } from '../../hub/chain/chain-rpc.js'
import { type NetworkName, networkNames } from '../../hub/chain/networks.js'

/** A token by its CAIP-19 name. */
export interface TokenReference {
  readonly network: NetworkName
  /** 20 bytes. */
  readonly address: Buffer
  /** Spellings of its name in casts: as requested, in lowercase, and with checksum. */
  readonly spellings: readonly string[]
}

/** Pattern of token names. */
export const TOKEN_NAME_PATTERN = /^eip155:(\d{1,15})\/erc20:0x([0-9a-fA-F]{40})$/

/** Parses a name such as `eip155:8453/erc20:0x…`; null for an unknown chain. */
export function parseTokenName(
  name: string,
  rpcs: ReadonlyMap<NetworkName, Pick<ChainRpc, 'network'>>,
): TokenReference | null {
  const [, chainId = '', hex = ''] = TOKEN_NAME_PATTERN.exec(name) ?? []
  const network = networkNames.find((each) => rpcs.get(each)?.network.chainId === Number(chainId))
  if (network === undefined || hex === '') return null
  const checksummed = getAddress(`0x${hex.toLowerCase()}`)
  const spellings = new Set([name, name.toLowerCase(), `eip155:${chainId}/erc20:${checksummed}`])
  return { network, address: Buffer.from(hex, 'hex'), spellings: [...spellings] }
}
