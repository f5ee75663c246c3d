import type { Database } from '../src/platform/db/connection.js'

/** Returns everything that a hub stores, in order, without merge times. */
export async function hubContents(db: Database): Promise<unknown[]> {
  return await Promise.all([
    db`select * from hub.messages order by fid, set, key`,
    db`select * from hub.cast_mentions order by mentioned_fid, ts, hash`,
    db`select * from hub.set_counts where count > 0 order by fid, set`,
    db`select * from hub.fids order by fid`,
    db`select * from hub.signers order by fid, key`,
    db`select * from hub.storage_rents order by fid, block_number, log_index`,
    db`select * from hub.username_proofs order by name`,
    // Without the times of their last use: they depend on the order of messages.
    db`select key, fid, request_fid, scopes, ttl_seconds from hub.gasless_keys order by key`,
    db`select * from hub.key_nonces order by kind, fid`,
    db`select * from hub.onchain_events order by fid, type, block_number, log_index`,
    db`select * from hub.channels order by channel_id`,
    db`select * from hub.channel_events order by channel_id, block_number, log_index`,
    db`select * from hub.channel_messages order by channel_id, type, key`,
    db`select * from hub.channel_counts order by channel_id`,
  ])
}
