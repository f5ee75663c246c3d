import type { Transaction } from '../../platform/db/connection.js'
import { encodeMessage } from '../../protocol/codec.js'
import type { SignedMessage } from '../../protocol/message.js'

/** Notification channel of messages that wait for the upstream. A hint: the sender also looks by itself. */
export const outgoingChannel = 'hub_outgoing'

/** Remembers merged messages of clients for the upstream, in the order given; nothing for none. */
export async function saveOutgoing(db: Transaction, messages: readonly SignedMessage[]): Promise<void> {
  if (messages.length === 0) return
  // One statement with the notification: each costs both sides about 0.1 ms.
  await db`
    with saved as (
      insert into hub.outgoing_messages (fid, message)
      select fid, message
      from unnest(
        ${messages.map(({ data }) => data.fid)}::bigint[],
        ${db.types.byteas(messages.map(encodeMessage))}::bytea[]
      ) with ordinality as outgoing (fid, message, position)
      order by position
    )
    select pg_notify(${outgoingChannel}, '')
  `
}
