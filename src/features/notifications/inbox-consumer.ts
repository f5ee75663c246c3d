import type { Consumer } from '../../hub/log/consumer-batch.js'
import { affectedBy, inboxEventTypes } from './affected.js'
import { rebuildInbox } from './rebuild.js'
import { refreshInbox } from './refresh.js'

/**
 * Keeps the inbox up to date with the event log.
 *
 * Events only say which rows to recompute; the rows come from the read model, which the merge has updated.
 * Events dropped before they were consumed are repaired by a rebuild.
 */
export const inboxConsumer: Consumer = {
  name: 'inbox',
  from: 'oldest',
  types: inboxEventTypes,
  handle: (db, events) => refreshInbox(db, affectedBy(events)),
  onGap: async (db, _gap, signal) => {
    await rebuildInbox(db, signal)
  },
}
