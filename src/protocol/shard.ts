import { createHash } from 'node:crypto'

/** Returns the shard of a fid, 1 to `shards` (docs/protocol.md §1.8). Shard 0 holds no messages. */
export function shardOf(fid: number, shards: number): number {
  const bytes = Buffer.alloc(4)
  // The protocol hashes the low 32 bits, which `>>> 0` takes from larger fids as well.
  bytes.writeUInt32BE(fid >>> 0)
  return (createHash('sha256').update(bytes).digest().readUInt32BE(0) % shards) + 1
}

/** The fid whose shard holds the events of channels, as it does those of the channel registry (docs/protocol.md §7.1.5). */
export const CHANNELS_FID = 0
