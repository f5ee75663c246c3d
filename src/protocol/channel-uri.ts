import { keccak_256 } from '@noble/hashes/sha3'
import { FarcasterNetwork } from './definitions.js'

/** Returns the id of a channel: keccak256 of its key. */
export function channelIdOf(channelKey: string): Buffer {
  return Buffer.from(keccak_256(Buffer.from(channelKey)))
}

/** Beginnings of the parent URLs of channels, before the key (docs/protocol.md §7.1). */
export const channelParentUrlPrefixes = {
  current: 'https://farcaster.xyz/~/channel/',
  older: 'https://warpcast.com/~/channel/',
} as const

/** Returns the parent URLs of a channel's casts: the form of today, and the older one. */
export function channelParentUrls(channelKey: string): readonly [current: string, older: string] {
  const { current, older } = channelParentUrlPrefixes
  return [current + channelKey, older + channelKey]
}

/** The contract whose tokens are the channels of a network. */
interface ChannelContract {
  readonly chainId: number
  /** In EIP-55 spelling. */
  readonly token: string
}

/** The registrar of test networks, provisional; mainnet has none yet (docs/protocol.md §7.1.7). */
const sepolia: ChannelContract = {
  chainId: 11_155_111,
  token: '0x7Dd80C661dED9bFC8D4440224A0b39b345a91BE4',
}

const registrars: Readonly<Record<number, ChannelContract>> = {
  [FarcasterNetwork.TESTNET]: sepolia,
  [FarcasterNetwork.DEVNET]: sepolia,
}

/** Returns what the URLs of all channels of a network begin with; null where channels cannot be followed. */
function channelUrlPrefix(network: number): string | null {
  const registrar = registrars[network]
  return registrar ? `eip155:${registrar.chainId}/erc721:${registrar.token}/` : null
}

/** Returns the URL of a channel: liking exactly this follows it. Null where channels cannot be followed. */
export function channelUrl(network: number, channelId: Buffer): string | null {
  const prefix = channelUrlPrefix(network)
  return prefix && `${prefix}${BigInt(`0x${channelId.toString('hex')}`)}`
}

/** Returns the id of the channel that a URL follows; null if it is the URL of no channel. */
export function channelIdOfUrl(network: number, url: string): Buffer | null {
  const prefix = channelUrlPrefix(network)
  if (prefix === null || !url.startsWith(prefix)) return null
  const digits = url.slice(prefix.length)
  if (!/^(?:0|[1-9]\d{0,77})$/.test(digits)) return null
  const hex = BigInt(digits).toString(16)
  return hex.length > 64 ? null : Buffer.from(hex.padStart(64, '0'), 'hex')
}
