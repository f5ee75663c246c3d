import type { LoggedEvent } from '../../hub/log/write.js'
import type { Transaction } from '../../platform/db/connection.js'
import { HubEventType } from '../../protocol/definitions.js'
import { projectCasts } from './casts.js'
import { projectChain } from './chain.js'
import { projectLinks } from './links.js'
import { type NetChanges, netChanges } from './net-changes.js'
import { projectProtocolChannels } from './protocol-channels.js'
import { projectReactions } from './reactions.js'
import { lockThreads } from './threads.js'
import { projectUserData, projectVerifications } from './user-data.js'

/**
 * Selects the schema that projections write to, as the first of the search path. The same code fills the live
 * read model and the one that a replay builds.
 */
export async function projectInto(db: Transaction, schema: 'social' | 'social_replay'): Promise<void> {
  await db`select set_config('search_path', ${`${schema}, public`}, true)`
}

/** The merge hook of the read model. It runs in the merge's transaction and writes sets of rows. */
export async function projectEvents(db: Transaction, events: readonly LoggedEvent[]): Promise<void> {
  await projectInto(db, 'social')
  const changes = netChanges(events)
  await lockThreads(db, changes)
  await projectEventBatch(db, events, changes)
  await projectProtocolChannels(
    db,
    events.map(({ body }) => body),
    changes,
  )
}

/** Projects a batch of events into the selected schema. The caller has locked the threads. */
export async function projectEventBatch(
  db: Transaction,
  events: readonly Pick<LoggedEvent, 'body'>[],
  changes: NetChanges = netChanges(events),
): Promise<void> {
  const chainEvents = events.flatMap(({ body }) =>
    body.type === HubEventType.MERGE_ON_CHAIN_EVENT ? [body.onChainEvent] : [],
  )
  if (chainEvents.length > 0) await projectChain(db, chainEvents)
  await projectChanges(db, changes)
}

/** Runs every projection. They write different tables, so their statements share one pipeline. */
export async function projectChanges(db: Transaction, changes: NetChanges): Promise<void> {
  if (changes.added.length === 0 && changes.removed.length === 0) return
  await Promise.all([
    projectCasts(db, changes),
    projectReactions(db, changes),
    projectLinks(db, changes),
    projectVerifications(db, changes),
    projectUserData(db, changes),
  ])
}
