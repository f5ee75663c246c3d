import { createDailyActivityJob } from '../../features/channels/daily-activity.js'
import { moveNotifications, takeInbox } from '../../features/notifications/refresh.js'
import { cacheTag } from '../../graph/cache/cache-tags.js'
import { publishChannelChanges } from '../../graph/cache/channel-invalidation.js'
import { publishInvalidation } from '../../graph/cache/invalidation.js'
import { projectEvents } from '../../graph/project/project.js'
import { createSearchJob } from '../../graph/refresh/search-prefix-lists.js'
import { createVocabularyJob } from '../../graph/refresh/search-vocabulary.js'
import { createWaitingThreadsJob } from '../../graph/refresh/waiting-threads.js'
import type { Transaction } from '../../platform/db/connection.js'
import type { Module } from '../module.js'

const publishThreads = (transaction: Transaction, hashes: readonly string[]) =>
  publishInvalidation(transaction, hashes.map(cacheTag.thread))

/** Users, casts, reactions and follows as tables for reading, written by every merge. */
export const readModelModule: Module = {
  name: 'read model',
  runsIn: ['worker'],
  mergeHooks: [
    (db, events, withCommit) => projectEvents(db, events, withCommit, { onThreadsMoved: publishThreads }),
    publishChannelChanges,
  ],
  start: ({ connections, clock }) => ({
    jobs: [
      createSearchJob({ db: connections.work, clock }),
      createVocabularyJob(connections.work),
      createWaitingThreadsJob(connections.work, {
        beforeMove: takeInbox,
        onThreadsMoved: publishThreads,
        onCastsMoved: moveNotifications,
      }),
      createDailyActivityJob(connections.work, clock),
    ],
  }),
}
