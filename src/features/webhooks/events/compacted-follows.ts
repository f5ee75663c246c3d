import type { ConsumedEvent } from '../../../hub/log/consumer-batch.js'
import type { HubEventBody } from '../../../hub/log/hub-event.js'
import type { LoggedEvent } from '../../../hub/log/write.js'
import type { Queryable, Transaction } from '../../../platform/db/connection.js'
import type { Statement } from '../../../platform/db/pipeline.js'
import { HubEventType, MessageType } from '../../../protocol/definitions.js'

/**
 * A merge hook that records the follows removed by a compact state. The protocol's log does not contain them
 * (docs/protocol.md §1.4), and they are gone when the consumer reads the log.
 */
export async function recordCompactedFollows(db: Transaction, events: readonly LoggedEvent[]): Promise<void> {
  const endedFollows = events.flatMap(({ shard, id, body }) => {
    if (!isCompaction(body)) return []
    const targets = body.deletedMessages.flatMap(({ data }) =>
      data.type === MessageType.LINK_ADD && data.linkBody?.targetFid !== undefined
        ? [data.linkBody.targetFid]
        : [],
    )
    return targets.length === 0 ? [] : [{ shard, id, targets }]
  })
  for (const { shard, id, targets } of endedFollows) {
    await db`
      insert into webhooks.compacted_follows (shard, event_id, target_fids)
      values (${shard}, ${id}, ${targets}::bigint[])
      on conflict do nothing`
  }
}

/** Takes the follows removed by log entries, by `<shard>-<id>`, deleting them. */
export async function takeCompactedFollows(
  db: Queryable,
  events: readonly ConsumedEvent[],
): Promise<Map<string, readonly number[]>> {
  const compactions = events.filter(({ body }) => isCompaction(body))
  if (compactions.length === 0) return new Map()
  const rows = await db<{ shard: number; id: number; targets: number[] }[]>`
    delete from webhooks.compacted_follows c
    using unnest(
      ${compactions.map(({ shard }) => shard)}::smallint[],
      ${compactions.map(({ id }) => id)}::bigint[]
    ) as requested (shard, id)
    where c.shard = requested.shard and c.event_id = requested.id
    returning c.shard, c.event_id as id, c.target_fids as targets`
  return new Map(rows.map(({ shard, id, targets }) => [`${shard}-${id}`, targets]))
}

/** Returns the statement that deletes the recorded follows of a shard's log entries without decoding them. */
export function discardCompactedFollows(db: Queryable, events: readonly ConsumedEvent[]): Statement[] {
  const last = events.at(-1)
  if (last === undefined) return []
  return [
    db`
      delete from webhooks.compacted_follows
      where shard = ${last.shard}::smallint and event_id <= ${last.id}::bigint`,
  ]
}

function isCompaction(body: HubEventBody): body is Extract<HubEventBody, { deletedMessages: unknown }> {
  return (
    body.type === HubEventType.MERGE_MESSAGE &&
    body.message.data.type === MessageType.LINK_COMPACT_STATE &&
    body.message.data.linkCompactStateBody?.type === 'follow'
  )
}
