import type { LoggedEvent } from '../../hub/log/write.js'
import type { Transaction } from '../../platform/db/connection.js'
import { inPipeline, type Statement, type WithCommit } from '../../platform/db/pipeline.js'
import { HubEventType } from '../../protocol/definitions.js'
import type { SignedMessage } from '../../protocol/message.js'
import { CastCountDeltas } from './cast-counts.js'
import { projectCasts } from './casts.js'
import { projectChain, projectGaslessApps } from './chain.js'
import { projectLinks } from './links.js'
import { type NetChanges, netChanges } from './net-changes.js'
import { findChannelChanges, projectProtocolChannels } from './protocol-channels.js'
import { projectReactions } from './reactions.js'
import { lockThreads, type ThreadLock } from './thread-lock.js'
import type { ThreadMoves } from './threads.js'
import { projectUserData, projectVerifications } from './user-data.js'

/**
 * Selects the schema that projections write to, as the first of the search path. The same code fills the live
 * read model and the one that a replay builds.
 */
export async function projectInto(db: Transaction, schema: 'social' | 'social_replay'): Promise<void> {
  await db`select set_config('search_path', ${`${schema}, public`}, true)`
}

/** The merge hook of the read model. It runs in the merge's transaction and writes sets of rows. */
export async function projectEvents(
  db: Transaction,
  events: readonly LoggedEvent[],
  withCommit: WithCommit,
  moves: ThreadMoves = {},
): Promise<void> {
  const changes = netChanges(events)
  const schema = projectInto(db, 'social')
  const threads = lockThreads(db, changes)
  const [, , last] = await inPipeline([
    schema,
    threads,
    projectEventBatch(db, events, { changes, threads, moves }),
  ])
  const bodies = events.map(({ body }) => body)
  const channelChanges = await findChannelChanges(db, bodies, changes)
  if (channelChanges.stale.length === 0) return withCommit(last)
  // Channels are projected from what is written before them.
  await inPipeline(last)
  await projectProtocolChannels(db, channelChanges)
}

/** Facts about the events of a projection that its caller knows. */
interface ProjectedChanges {
  readonly changes?: NetChanges
  /** The thread lock that the caller holds or has asked for. */
  readonly threads: ThreadLock | Promise<ThreadLock>
  readonly moves?: ThreadMoves
}

/**
 * Projects a batch of events into the selected schema.
 *
 * @returns its last statements, in order, which the caller runs.
 */
export async function projectEventBatch(
  db: Transaction,
  events: readonly Pick<LoggedEvent, 'body'>[],
  { changes = netChanges(events), threads, moves }: ProjectedChanges,
): Promise<Statement[]> {
  const chainEvents = events.flatMap(({ body }) =>
    body.type === HubEventType.MERGE_ON_CHAIN_EVENT ? [body.onChainEvent] : [],
  )
  if (chainEvents.length > 0) await projectChain(db, chainEvents)
  // Not by the net changes: a key may be removed in the batch in which it has signed.
  await projectGaslessApps(db, mergedMessages(events))
  return await projectChanges(db, changes, threads, moves)
}

function mergedMessages(events: readonly Pick<LoggedEvent, 'body'>[]): SignedMessage[] {
  return events.flatMap(({ body }) => (body.type === HubEventType.MERGE_MESSAGE ? [body.message] : []))
}

/**
 * Runs every projection. All but the counts of casts are in different tables, so their statements share one pipeline.
 *
 * @returns the last statements, in order, which the caller runs.
 */
export async function projectChanges(
  db: Transaction,
  changes: NetChanges,
  threads: ThreadLock | Promise<ThreadLock>,
  moves: ThreadMoves = {},
): Promise<Statement[]> {
  if (changes.added.length === 0 && changes.removed.length === 0) return []
  // Replies, quotes, likes and recasts are counted in the same rows: two statements would lock them in two orders.
  const counts = new CastCountDeltas()
  const [ofCasts, ofReactions, ofLinks] = await inPipeline([
    projectCasts(db, changes, counts, threads, moves),
    projectReactions(db, changes, counts),
    projectLinks(db, changes),
    projectVerifications(db, changes),
    projectUserData(db, changes),
  ])
  return [...counts.statements(db), ...ofCasts, ...ofReactions, ...ofLinks]
}
