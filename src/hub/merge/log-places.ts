import type { Database, Transaction } from '../../platform/db/connection.js'
import { type Refusal, refuse } from '../../platform/errors.js'
import type { LogPlaces, MergeBatch, MergeOutcomes } from './batch.js'
import { isLack } from './lack.js'

/**
 * Which of these have been taken before, or stand twice among them. To be asked with the lock of the shard held: then
 * whoever has merged them has committed.
 */
export async function loadTaken(db: Transaction, places: LogPlaces | undefined): Promise<Set<object>> {
  const taken = new Set<object>()
  if (places === undefined || places.size === 0) return taken
  await Promise.all(
    byLog(places, ([, { log }]) => log).map(async ([log, entries]) => {
      const ids = entries.map(([, { id }]) => id)
      const lowest = ids.reduce((least, id) => Math.min(least, id))
      const rows = await db<{ id: number }[]>`
        select id
        from hub.taken t, unnest(t.ids) id
        where t.log = ${log} and t.last_id >= ${lowest}::bigint and id = any (${ids}::bigint[])
      `
      const known = new Set(rows.map(({ id }) => id))
      for (const [value, { id }] of entries) {
        if (known.has(id)) taken.add(value)
        known.add(id)
      }
    }),
  )
  return taken
}

/** The batch without what was taken before. */
export function withoutTaken(batch: MergeBatch, taken: ReadonlySet<object>): MergeBatch {
  if (taken.size === 0) return batch
  const isNew = (value: object) => !taken.has(value)
  return {
    ...batch,
    chainEvents: batch.chainEvents.filter(isNew),
    nameTransfers: batch.nameTransfers.filter(isNew),
    messages: batch.messages.filter(isNew),
  }
}

/** Outcomes of a batch without what was taken, aligned with the whole of it. */
export function withTaken<Outcomes extends MergeOutcomes>(
  batch: MergeBatch,
  taken: ReadonlySet<object>,
  outcomes: Outcomes,
): Outcomes {
  if (taken.size === 0) return outcomes
  return {
    ...outcomes,
    chainEvents: align(batch.chainEvents, taken, outcomes.chainEvents),
    nameTransfers: align(batch.nameTransfers, taken, outcomes.nameTransfers),
    messages: align(batch.messages, taken, outcomes.messages),
  }
}

function align(
  values: readonly object[],
  taken: ReadonlySet<object>,
  outcomes: readonly (Refusal | null)[],
): (Refusal | null)[] {
  let next = 0
  return values.map((value) =>
    taken.has(value)
      ? refuse('bad_request.duplicate', 'message has already been merged')
      : (outcomes[next++] ?? null),
  )
}

/**
 * Writes down which places of a batch are taken now: of everything that has an outcome that will stay. What is refused
 * because something is not here yet is tried again.
 */
export async function saveTaken(db: Transaction, batch: MergeBatch, outcomes: MergeOutcomes): Promise<void> {
  const { places } = batch
  if (places === undefined || places.size === 0) return
  const taken = [
    ...settled(batch.chainEvents, outcomes.chainEvents),
    ...settled(batch.nameTransfers, outcomes.nameTransfers),
    ...settled(batch.messages, outcomes.messages),
  ].flatMap((value) => places.get(value) ?? [])
  await Promise.all(
    byLog(taken, ({ log }) => log).map(([log, ofLog]) => {
      const ids = ofLog.map(({ id }) => id).sort((a, b) => a - b)
      return db`
        insert into hub.taken (log, last_id, ids) values (${log}, ${ids.at(-1)!}::bigint, ${ids}::bigint[])
      `
    }),
  )
}

function settled(values: readonly object[], outcomes: readonly (Refusal | null)[]): object[] {
  return values.filter((_, index) => {
    const refusal = outcomes[index] ?? null
    return refusal === null || !isLack(refusal)
  })
}

function byLog<Entry>(entries: Iterable<Entry>, logOf: (entry: Entry) => string): [string, Entry[]][] {
  const logs = new Map<string, Entry[]>()
  for (const entry of entries) {
    const log = logOf(entry)
    const others = logs.get(log)
    if (others) others.push(entry)
    else logs.set(log, [entry])
  }
  return [...logs]
}

/** Forgets what was taken of a log below an id, from which on it is read if it is read again. */
export async function forgetTaken(db: Database, log: string, belowId: number): Promise<void> {
  await db`delete from hub.taken where log = ${log} and last_id < ${belowId}::bigint`
}
