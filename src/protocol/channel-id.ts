import { keccak_256 } from '@noble/hashes/sha3'
import { asBuffer } from './bytes.js'
import { FarcasterNetwork, MessageType, ReactionType } from './definitions.js'
import type { SignedMessage } from './message.js'

/**
 * Prefixes of the URLs that stand for channels, by network: the token of the registrar (docs/protocol.md §7.1).
 * Mainnet has no registrar yet.
 */
const tokenPrefixes: Readonly<Partial<Record<number, string>>> = {
  [FarcasterNetwork.TESTNET]: 'eip155:11155111/erc721:0x7Dd80C661dED9bFC8D4440224A0b39b345a91BE4/',
  [FarcasterNetwork.DEVNET]: 'eip155:11155111/erc721:0x7Dd80C661dED9bFC8D4440224A0b39b345a91BE4/',
}

const CHANNEL_ID_BYTES = 32
const CHANNEL_ID_BITS = 256n

/** Returns the id of a channel in messages and in its registry, where it is the label: the hash of its key. */
export function channelIdOf(key: string): Buffer {
  return Buffer.from(keccak_256(Buffer.from(key)))
}

/** Returns the URL whose like follows a channel; null on a network without a registrar. */
export function channelFollowUrl(network: number, channelId: Uint8Array): string | null {
  const prefix = tokenPrefixes[network]
  return prefix === undefined ? null : `${prefix}${BigInt(`0x${asBuffer(channelId).toString('hex')}`)}`
}

/** Returns the channel that a like follows; null for other reactions. Any other spelling of the URL is one. */
export function followedChannel({ data }: Pick<SignedMessage, 'data'>): Buffer | null {
  const { type, targetUrl } = data.reactionBody ?? {}
  const prefix = tokenPrefixes[data.network]
  if (data.type !== MessageType.REACTION_ADD || type !== ReactionType.LIKE) return null
  if (prefix === undefined || !targetUrl?.startsWith(prefix)) return null
  const tokenId = targetUrl.slice(prefix.length)
  if (!/^(0|[1-9][0-9]{0,77})$/.test(tokenId) || BigInt(tokenId) >> CHANNEL_ID_BITS !== 0n) return null
  return Buffer.from(
    BigInt(tokenId)
      .toString(16)
      .padStart(2 * CHANNEL_ID_BYTES, '0'),
    'hex',
  )
}
