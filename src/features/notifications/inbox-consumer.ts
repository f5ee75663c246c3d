import type { Consumer } from '../../hub/log/consumer-batch.js'
import { affectedBy, inboxEventTypes } from './affected.js'
import { rebuildInbox } from './rebuild.js'
import { refreshInbox } from './refresh.js'

/**
 * Keeps the inbox level with the log. The events only tell what to look at; what is written is what the read model
 * says, which the merge has brought up to date. What was dropped from the log before it was consumed, also by a server
 * that had no inbox yet, is made good by a rebuild.
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
