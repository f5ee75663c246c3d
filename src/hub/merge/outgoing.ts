import type { Transaction } from '../../platform/db/connection.js'
import { encodeMessage } from '../../protocol/codec.js'
import type { SignedMessage } from '../../protocol/message.js'
import { isChannelType } from '../../protocol/message-kinds.js'
import { CHANNELS_FID } from '../../protocol/shard.js'

/** Notification channel of messages that wait for the upstream. A hint: the sender also looks by itself. */
export const outgoingChannel = 'hub_outgoing'

/**
 * Remembers merged messages of clients for the upstream, in the order given; nothing for none. The column `fid` is the queue in which
 * they are sent (`OutgoingMessage.queue`).
 */
export async function saveOutgoing(db: Transaction, messages: readonly SignedMessage[]): Promise<void> {
  if (messages.length === 0) return
  // One statement with the notification: each costs both sides about 0.1 ms.
  await db`
    with saved as (
      insert into hub.outgoing_messages (fid, message)
      select fid, message
      from unnest(
        ${messages.map(queueOf)}::bigint[],
        ${db.types.byteas(messages.map(encodeMessage))}::bytea[]
      ) with ordinality as outgoing (fid, message, position)
      order by position
    )
    select pg_notify(${outgoingChannel}, '')
  `
}

/** Messages of channels are one queue: what a channel takes depends on what arrived before, of all users (docs/protocol.md §7.1.4). */
function queueOf({ data }: SignedMessage): number {
  return isChannelType(data.type) ? CHANNELS_FID : data.fid
}
