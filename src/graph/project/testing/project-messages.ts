import type { HubEventBody } from '../../../hub/log/hub-event.js'
import type { LoggedEvent } from '../../../hub/log/write.js'
import type { Database } from '../../../platform/db/connection.js'
import { transact } from '../../../platform/db/pipeline.js'
import { HubEventType } from '../../../protocol/definitions.js'
import type { SignedMessage } from '../../../protocol/message.js'
import { projectEvents } from '../project.js'
import type { ThreadMoves } from '../threads.js'

/** Projects events as a merge does, without the other writes of a merge. */
export async function project(db: Database, ...bodies: HubEventBody[]): Promise<void> {
  await projectWith({}, db, ...bodies)
}

/** Projects events, with other limits than a merge has. */
export async function projectWith(
  moves: ThreadMoves,
  db: Database,
  ...bodies: HubEventBody[]
): Promise<void> {
  const events = bodies.map(
    (body, index): LoggedEvent => ({ shard: 1, id: index, timestamp: 0, fid: null, body }),
  )
  await transact(db, (transaction, withCommit) => projectEvents(transaction, events, withCommit, moves))
}

/** Events that merge each message and replace none. */
export function merged(...messages: SignedMessage[]): HubEventBody[] {
  return messages.map((message) => ({ type: HubEventType.MERGE_MESSAGE, message, deletedMessages: [] }))
}

/** Events that prune each message. */
export function pruned(...messages: SignedMessage[]): HubEventBody[] {
  return messages.map((message) => ({ type: HubEventType.PRUNE_MESSAGE, message }))
}
