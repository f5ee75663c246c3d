import { createHash } from 'node:crypto'

/**
 * The shard that a fid's messages live on, 1 … `shards` (docs/protocol.md §1.8); shard 0 is the
 * block shard and holds no user's messages.
 */
export function shardOf(fid: number, shards: number): number {
  const bytes = Buffer.alloc(4)
  // The protocol hashes the low 32 bits; `>>> 0` takes them also from a fid past 2^32.
  bytes.writeUInt32BE(fid >>> 0)
  return (createHash('sha256').update(bytes).digest().readUInt32BE(0) % shards) + 1
}
