import { cacheTag } from '../../graph/cache/cache-tags.js'
import { publishInvalidation } from '../../graph/cache/invalidation.js'
import { type RecountOptions, recount } from '../../graph/project/recount.js'
import { type ReplayOptions, type ReplayStep, replay } from '../../graph/project/replay.js'
import type { Database, Transaction } from '../../platform/db/connection.js'

/** Connections of a replay: for the lock, the snapshot, the writes and the catalog. */
export const REPLAY_CONNECTIONS = 4

/** Labels of the steps of a replay, for the operator. */
export const replayStepLabels: Readonly<Record<ReplayStep, string>> = {
  accounts: 'reading accounts and messages',
  indexes: 'building indexes',
  'catching up': 'processing new events',
}

async function invalidateEverything(transaction: Transaction): Promise<void> {
  await publishInvalidation(transaction, [cacheTag.everything, cacheTag.tables])
}

/** Rebuilds the read model, and has all servers show it. Returns lines for the operator. */
export async function replayForServers(
  db: Database,
  options: Omit<ReplayOptions, 'onSwap'>,
): Promise<string[]> {
  const hasDroppedFormer = await replay(db, { ...options, onSwap: invalidateEverything })
  const leftover =
    'the former one is in use and stays in the schema social_replaced: the next replay drops it, or you do'
  return ['the read model is rebuilt', ...(hasDroppedFormer ? [] : [leftover])]
}

/** Recounts and repairs counters, and has all servers show what was repaired. Returns lines for the operator. */
export async function recountForServers(
  db: Database,
  options: Omit<RecountOptions, 'onRepaired'>,
): Promise<string[]> {
  const reports = await recount(db, { ...options, onRepaired: invalidateEverything })
  return reports.map(({ name, wrong }) =>
    wrong === 0 ? `${name}: correct` : `${name}: ${wrong} wrong, repaired`,
  )
}
