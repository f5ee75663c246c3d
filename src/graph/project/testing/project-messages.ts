import { HubEventType } from '@farcaster/core'
import type { HubEventBody } from '../../../hub/log/hub-event.js'
import type { LoggedEvent } from '../../../hub/log/write.js'
import type { Database } from '../../../platform/db/connection.js'
import type { SignedMessage } from '../../../protocol/message.js'
import { projectEvents } from '../project.js'

/** Projects events as a merge does, without what else a merge writes. */
export async function project(db: Database, ...bodies: HubEventBody[]): Promise<void> {
  const events = bodies.map(
    (body, index): LoggedEvent => ({ shard: 1, id: index, timestamp: 0, fid: null, body }),
  )
  await db.begin((transaction) => projectEvents(transaction, events))
}

/** Each message is merged, and displaces nothing. */
export function merged(...messages: SignedMessage[]): HubEventBody[] {
  return messages.map((message) => ({ type: HubEventType.MERGE_MESSAGE, message, deletedMessages: [] }))
}

/** Each message is pruned. */
export function pruned(...messages: SignedMessage[]): HubEventBody[] {
  return messages.map((message) => ({ type: HubEventType.PRUNE_MESSAGE, message }))
}
