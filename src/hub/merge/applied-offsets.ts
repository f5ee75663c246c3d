import type { Queryable, Transaction } from '../../platform/db/connection.js'
import { type Refusal, refuse } from '../../platform/errors.js'
import type { MergeBatch, MergeOutcomes, SourceOffsets } from './batch.js'

/** Returns true if a refusal may mean that a fid, key, storage or name is missing. The item may merge later. */
export function isMissingDependency({ code }: Refusal): boolean {
  return code === 'bad_request.validation_failure'
}

/**
 * Finds items whose source offset was applied before, or occurs earlier in the same batch. Call it with the lock
 * of the shard held: transactions that merged them have then committed.
 */
export async function findAppliedItems(
  db: Transaction,
  sourceOffsets: SourceOffsets | undefined,
): Promise<Set<object>> {
  const applied = new Set<object>()
  if (sourceOffsets === undefined || sourceOffsets.size === 0) return applied
  await Promise.all(
    groupByLog(sourceOffsets, ([, { log }]) => log).map(async ([log, entries]) => {
      const ids = entries.map(([, { id }]) => id)
      const lowest = ids.reduce((least, id) => Math.min(least, id))
      const rows = await db<{ id: number }[]>`
        select id
        from hub.applied_offsets t, unnest(t.ids) id
        where t.log = ${log} and t.last_id >= ${lowest}::bigint and id = any (${ids}::bigint[])
      `
      const known = new Set(rows.map(({ id }) => id))
      for (const [value, { id }] of entries) {
        if (known.has(id)) applied.add(value)
        known.add(id)
      }
    }),
  )
  return applied
}

/** Returns the batch without items that were applied before. */
export function excludeApplied(batch: MergeBatch, applied: ReadonlySet<object>): MergeBatch {
  if (applied.size === 0) return batch
  const isNew = (value: object) => !applied.has(value)
  return {
    ...batch,
    chainEvents: batch.chainEvents.filter(isNew),
    nameTransfers: batch.nameTransfers.filter(isNew),
    messages: batch.messages.filter(isNew),
  }
}

/** Inserts the outcomes of applied items, so that outcomes align with the whole batch. */
export function mergeAppliedOutcomes<Outcomes extends MergeOutcomes>(
  batch: MergeBatch,
  applied: ReadonlySet<object>,
  outcomes: Outcomes,
): Outcomes {
  if (applied.size === 0) return outcomes
  return {
    ...outcomes,
    chainEvents: alignOutcomes(batch.chainEvents, applied, outcomes.chainEvents),
    nameTransfers: alignOutcomes(batch.nameTransfers, applied, outcomes.nameTransfers),
    messages: alignOutcomes(batch.messages, applied, outcomes.messages),
  }
}

function alignOutcomes(
  values: readonly object[],
  applied: ReadonlySet<object>,
  outcomes: readonly (Refusal | null)[],
): (Refusal | null)[] {
  let next = 0
  return values.map((value) =>
    applied.has(value)
      ? refuse('bad_request.duplicate', 'message has already been merged')
      : (outcomes[next++] ?? null),
  )
}

/** Saves the source offsets of items whose outcome is final. Items that miss a dependency are tried again. */
export async function saveAppliedOffsets(
  db: Transaction,
  batch: MergeBatch,
  outcomes: MergeOutcomes,
): Promise<void> {
  const { sourceOffsets } = batch
  if (sourceOffsets === undefined || sourceOffsets.size === 0) return
  const lists = ['chainEvents', 'nameTransfers', 'messages'] as const
  const applied = lists
    .flatMap((list) => itemsWithFinalOutcome(batch[list], outcomes[list]))
    .flatMap((value) => sourceOffsets.get(value) ?? [])
  await Promise.all(
    groupByLog(applied, ({ log }) => log).map(([log, logOffsets]) => {
      const ids = logOffsets.map(({ id }) => id).sort((a, b) => a - b)
      return db`
        insert into hub.applied_offsets (log, last_id, ids) values (${log}, ${ids.at(-1)!}::bigint, ${ids}::bigint[])
      `
    }),
  )
}

function itemsWithFinalOutcome(values: readonly object[], outcomes: readonly (Refusal | null)[]): object[] {
  return values.filter((_, index) => {
    const refusal = outcomes[index] ?? null
    return refusal === null || !isMissingDependency(refusal)
  })
}

function groupByLog<Entry>(entries: Iterable<Entry>, logOf: (entry: Entry) => string): [string, Entry[]][] {
  const logs = new Map<string, Entry[]>()
  for (const entry of entries) {
    const log = logOf(entry)
    const others = logs.get(log)
    if (others) others.push(entry)
    else logs.set(log, [entry])
  }
  return [...logs]
}

/** Deletes applied offsets of a log below an id; reading the log again starts at or above that id. */
export async function deleteAppliedOffsets(db: Queryable, log: string, belowId: number): Promise<void> {
  await db`delete from hub.applied_offsets where log = ${log} and last_id < ${belowId}::bigint`
}
