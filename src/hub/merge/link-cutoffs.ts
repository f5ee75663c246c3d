import type { Transaction } from '../../platform/db/connection.js'
import { type ConflictKey, conflictKeyId } from './stored-message.js'

/** Farcaster seconds by target fid. */
type Cutoffs = ReadonlyMap<number, number>

interface TrackedCutoffs {
  readonly compactKey: ConflictKey
  readonly before: Cutoffs
  current: Cutoffs
}

/** What `LinkCutoffs.get` returns if nothing is void. */
export const NO_CUTOFF = -1

/**
 * The second up to which links to a target of a compact state are void (docs/protocol.md §4.3.1).
 *
 * Messages that ended such links are gone: removes, and older compact states without the target. Their times
 * remain here, so that a link that arrives late is refused as it would have been then. Targets that the compact
 * state does not list need no cutoff: its own time is theirs.
 */
export class LinkCutoffs {
  readonly #byCompactKey = new Map<string, TrackedCutoffs>()

  load(compactKey: ConflictKey, cutoffs: Cutoffs): void {
    this.#byCompactKey.set(conflictKeyId(compactKey), { compactKey, before: cutoffs, current: cutoffs })
  }

  /** Returns Farcaster seconds, or `NO_CUTOFF`. */
  get(compactKey: ConflictKey, targetFid: number): number {
    return this.#tracked(compactKey).current.get(targetFid) ?? NO_CUTOFF
  }

  /** Returns all cutoffs of a compact state. */
  all(compactKey: ConflictKey): Cutoffs {
    return this.#tracked(compactKey).current
  }

  /** Raises the cutoff of targets to a time, unless it is later already. */
  raise(compactKey: ConflictKey, targetFids: readonly number[], timestamp: number): void {
    const { current } = this.#tracked(compactKey)
    const raised = targetFids.filter((targetFid) => timestamp > (current.get(targetFid) ?? NO_CUTOFF))
    if (raised.length === 0) return
    this.replace(compactKey, new Map([...current, ...raised.map((fid) => [fid, timestamp] as const)]))
  }

  /** Sets all cutoffs of a compact state. */
  replace(compactKey: ConflictKey, cutoffs: Cutoffs): void {
    const tracked = this.#tracked(compactKey)
    const wasAndIsEmpty = tracked.before.size === 0 && cutoffs.size === 0
    tracked.current = wasAndIsEmpty ? tracked.before : cutoffs
  }

  /** Returns what this batch changed. */
  changes(): { compactKey: ConflictKey; cutoffs: Cutoffs }[] {
    return [...this.#byCompactKey.values()]
      .filter(({ before, current }) => before !== current)
      .map(({ compactKey, current }) => ({ compactKey, cutoffs: current }))
  }

  #tracked(compactKey: ConflictKey): TrackedCutoffs {
    const name = conflictKeyId(compactKey)
    const tracked = this.#byCompactKey.get(name) ?? { compactKey, before: none, current: none }
    this.#byCompactKey.set(name, tracked)
    return tracked
  }
}

const none: Cutoffs = new Map()

interface CutoffsRow {
  fid: number
  key: Buffer
  cutoffs: Record<string, number>
}

/** Loads the cutoffs of compact states, in one statement. */
export async function loadLinkCutoffs(
  db: Transaction,
  compactKeys: readonly ConflictKey[],
  cutoffs: LinkCutoffs,
): Promise<void> {
  if (compactKeys.length === 0) return
  const rows = await db<CutoffsRow[]>`
    select fid, key, cutoffs
    from unnest(
      ${compactKeys.map(({ fid }) => fid)}::bigint[],
      ${db.types.byteas(compactKeys.map(({ key }) => key))}::bytea[]
    ) as inputs (fid, key)
    join hub.link_cutoffs using (fid, key)
  `
  const rowsByKey = new Map(rows.map((row) => [`${row.fid}/${row.key.toString('latin1')}`, row]))
  for (const compactKey of compactKeys) {
    const row = rowsByKey.get(`${compactKey.fid}/${compactKey.key.toString('latin1')}`)
    const entries = Object.entries(row?.cutoffs ?? {}).map(([fid, ts]) => [Number(fid), ts] as const)
    cutoffs.load(compactKey, new Map(entries))
  }
}

/** Writes changed cutoffs. */
export async function writeLinkCutoffs(db: Transaction, cutoffs: LinkCutoffs): Promise<void> {
  const changes = cutoffs.changes()
  const deleted = changes.filter((change) => change.cutoffs.size === 0)
  const upserted = changes.filter((change) => change.cutoffs.size > 0)
  await Promise.all([
    deleted.length > 0
      ? deleteCutoffs(
          db,
          deleted.map(({ compactKey }) => compactKey),
        )
      : null,
    upserted.length > 0 ? upsertCutoffs(db, upserted) : null,
  ])
}

async function deleteCutoffs(db: Transaction, compactKeys: readonly ConflictKey[]): Promise<void> {
  await db`
    delete from hub.link_cutoffs c
    using unnest(
      ${compactKeys.map(({ fid }) => fid)}::bigint[],
      ${db.types.byteas(compactKeys.map(({ key }) => key))}::bytea[]
    ) as deleted (fid, key)
    where c.fid = deleted.fid and c.key = deleted.key
  `
}

async function upsertCutoffs(
  db: Transaction,
  changes: readonly { compactKey: ConflictKey; cutoffs: Cutoffs }[],
): Promise<void> {
  await db`
    insert into hub.link_cutoffs (fid, key, cutoffs)
    select fid, key, cutoffs::jsonb
    from unnest(
      ${changes.map(({ compactKey }) => compactKey.fid)}::bigint[],
      ${db.types.byteas(changes.map(({ compactKey }) => compactKey.key))}::bytea[],
      ${db.types.texts(changes.map(({ cutoffs }) => JSON.stringify(Object.fromEntries(cutoffs))))}::text[]
    ) as changed (fid, key, cutoffs)
    on conflict (fid, key) do update set cutoffs = excluded.cutoffs
  `
}
