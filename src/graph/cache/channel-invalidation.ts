import type { LoggedEvent } from '../../hub/log/write.js'
import type { Transaction } from '../../platform/db/connection.js'
import { netChanges } from '../project/net-changes.js'
import { findChannelChanges } from '../project/protocol-channels.js'
import { cacheTag } from './cache-tags.js'
import { publishInvalidation } from './invalidation.js'

/**
 * The merge hook that publishes the stale tags which channel messages do not name: of channels by id, and of casts below
 * their URLs. The follower of the log applies the others (`cache-tags.ts`).
 */
export async function publishChannelChanges(db: Transaction, events: readonly LoggedEvent[]): Promise<void> {
  const bodies = events.map(({ body }) => body)
  const { stale } = await findChannelChanges(db, bodies, netChanges(events))
  if (stale.length === 0) return
  const rows = await db<{ id: string; urls: string[] }[]>`
    select c.id, array(select u.url from channels.urls u where u.channel_id = c.id) as urls
    from channels.channels c
    where c.protocol_id = any (${db.types.byteas(stale)}::bytea[])
  `
  const tags = rows.flatMap(({ id, urls }) => [cacheTag.channel(id), ...urls.map(cacheTag.channelUrl)])
  await publishInvalidation(db, tags)
}
