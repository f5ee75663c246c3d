import { createHash } from 'node:crypto'
import { MessageType } from './definitions.js'

/** Returns the shard of a fid, 1 to `shards` (docs/protocol.md §1.8). Shard 0 holds no messages. */
export function shardOf(fid: number, shards: number): number {
  const bytes = Buffer.alloc(4)
  // The protocol hashes the low 32 bits, which `>>> 0` takes from larger fids as well.
  bytes.writeUInt32BE(fid >>> 0)
  return (createHash('sha256').update(bytes).digest().readUInt32BE(0) % shards) + 1
}

/** The fid whose shard holds the events of channels, as it does those of the channel registry (docs/protocol.md §7.1.5). */
export const CHANNELS_FID = 0

/** The types that the reference node merges on its shard 0, which orders what concerns all shards. */
const shardZeroTypes: ReadonlySet<MessageType> = new Set([
  MessageType.LEND_STORAGE,
  MessageType.KEY_ADD,
  MessageType.KEY_REMOVE,
  MessageType.CHANNEL_UPDATE,
  MessageType.CHANNEL_MEMBER,
  MessageType.CHANNEL_PIN,
  MessageType.CHANNEL_MODERATE,
])
const verificationTypes: ReadonlySet<MessageType> = new Set([
  MessageType.VERIFICATION_ADD_ETH_ADDRESS,
  MessageType.VERIFICATION_REMOVE,
])

/**
 * Returns true if the reference node merges a type on its shard 0 (docs/protocol.md §2.4). Plaza has no such shard.
 * @param hasV21 Whether the network of the hub, not that in the message, runs engine V21.
 */
export function isOfShardZero(type: MessageType, hasV21: boolean): boolean {
  return shardZeroTypes.has(type) || (hasV21 && verificationTypes.has(type))
}
