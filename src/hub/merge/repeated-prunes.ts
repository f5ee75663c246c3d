import { HubEventType } from '@farcaster/core'
import type { Transaction } from '../../platform/db/connection.js'
import type { PendingEvent } from './state.js'
import type { StoredMessage } from './stored-message.js'

/**
 * Remembers what was pruned, for as long as the log tells of it (`dropExpiredPartitions`).
 *
 * @param day As the log has its days.
 * @returns the hashes, in hex, of those that were remembered before.
 */
export async function recordPruned(
  db: Transaction,
  pruned: readonly StoredMessage[],
  day: string,
): Promise<ReadonlySet<string>> {
  const hashes = pruned.map(({ hash }) => hash)
  const rows = await db<{ hash: Buffer }[]>`
    insert into hub.pruned_messages (hash, day)
    select hash, ${day}::date from unnest(${db.types.byteas(hashes)}::bytea[]) as hash
    on conflict do nothing
    returning hash
  `
  const newlyPruned = new Set(rows.map(({ hash }) => hash.toString('hex')))
  return new Set(hashes.map((hash) => hash.toString('hex')).filter((hash) => !newlyPruned.has(hash)))
}

/**
 * Leaves out of a batch's events what the log has told before, and what changes nothing: messages that came again, were
 * merged, displaced nothing and were pruned at once. Upstreams, and whoever likes, may send them as often as they will.
 */
export function omitRepeatedPrunes(
  events: readonly PendingEvent[],
  previouslyPruned: ReadonlySet<string>,
): readonly PendingEvent[] {
  if (previouslyPruned.size === 0) return events
  const repeated = new Set(
    events.flatMap(({ body }) => {
      if (body.type !== HubEventType.MERGE_MESSAGE || body.deletedMessages.length > 0) return []
      const hash = body.message.hash.toString('hex')
      return previouslyPruned.has(hash) ? [hash] : []
    }),
  )
  return events.filter(
    ({ body }) =>
      (body.type !== HubEventType.MERGE_MESSAGE && body.type !== HubEventType.PRUNE_MESSAGE) ||
      !repeated.has(body.message.hash.toString('hex')),
  )
}
