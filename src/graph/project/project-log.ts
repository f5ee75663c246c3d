import { HubEventType, MessageType } from '@farcaster/core'
import type { HubEventBody } from '../../hub/log/hub-event.js'
import type { Transaction } from '../../platform/db/connection.js'
import { removeCompacted } from './links.js'
import { projectEventBatch } from './project.js'

/**
 * Projects events as the log has them. It leaves out what a compact state displaced (docs/protocol.md §1.4), so the state's
 * rule is applied, in its place.
 */
export async function projectLogged(db: Transaction, bodies: readonly HubEventBody[]): Promise<void> {
  let batch: { body: HubEventBody }[] = []
  for (const body of bodies) {
    const isCompact =
      body.type === HubEventType.MERGE_MESSAGE && body.message.data.type === MessageType.LINK_COMPACT_STATE
    if (!isCompact) {
      batch.push({ body })
      continue
    }
    await projectEventBatch(db, batch)
    batch = []
    await removeCompacted(db, body.message)
  }
  await projectEventBatch(db, batch)
}
