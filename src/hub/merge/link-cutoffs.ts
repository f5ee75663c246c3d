import type { Transaction } from '../../platform/db/connection.js'
import { type ConflictKey, conflictKeyId } from './stored-message.js'

/** Farcaster seconds by target fid. */
type Cutoffs = ReadonlyMap<number, number>

/** An older compact state: links to targets that it does not list are void up to its time. */
interface OlderCompactState {
  readonly listed: ReadonlySet<number>
  readonly timestamp: number
}

interface TrackedCutoffs {
  readonly compactKey: ConflictKey
  readonly before: Cutoffs
  /** `before` until the first change, then a copy of it. */
  current: Map<number, number>
  /** Older compact states that `current` does not contain yet, the newest first. */
  readonly older: OlderCompactState[]
  /** The targets that the older compact states can concern: those of the stored one. */
  targets: readonly number[]
}

/** Result of `LinkCutoffs.get` if nothing is void. */
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
    this.#byCompactKey.set(conflictKeyId(compactKey), track(compactKey, new Map(cutoffs)))
  }

  /** Returns Farcaster seconds, or `NO_CUTOFF`. */
  get(compactKey: ConflictKey, targetFid: number): number {
    return cutoffIn(this.#tracked(compactKey), targetFid)
  }

  /** Returns all cutoffs of a compact state. */
  all(compactKey: ConflictKey): Cutoffs {
    return settled(this.#tracked(compactKey))
  }

  /** Raises the cutoff of a target to a time, unless it is later already. */
  raise(compactKey: ConflictKey, targetFid: number, timestamp: number): void {
    const tracked = this.#tracked(compactKey)
    if (timestamp > cutoffIn(tracked, targetFid)) changeable(tracked).set(targetFid, timestamp)
  }

  /**
   * Raises the cutoff of targets that an older compact state does not list to its time. Costs as much as the older one
   * lists: many small ones below a large one must not cost the large one each.
   *
   * @param targets Targets of the stored compact state, the same for all calls until `replace`.
   */
  raiseUnlisted(compactKey: ConflictKey, targets: readonly number[], older: OlderCompactState): void {
    const tracked = this.#tracked(compactKey)
    tracked.targets = targets
    const position = tracked.older.findIndex(({ timestamp }) => timestamp <= older.timestamp)
    tracked.older.splice(position < 0 ? tracked.older.length : position, 0, older)
  }

  /** Sets all cutoffs of a compact state. */
  replace(compactKey: ConflictKey, cutoffs: Cutoffs): void {
    const tracked = this.#tracked(compactKey)
    tracked.older.length = 0
    const wasAndIsEmpty = tracked.before.size === 0 && cutoffs.size === 0
    tracked.current = wasAndIsEmpty ? (tracked.before as Map<number, number>) : new Map(cutoffs)
  }

  /** Returns what this batch changed. */
  changes(): { readonly compactKey: ConflictKey; readonly cutoffs: Cutoffs }[] {
    return [...this.#byCompactKey.values()]
      .map((tracked) => ({
        compactKey: tracked.compactKey,
        cutoffs: settled(tracked),
        before: tracked.before,
      }))
      .filter(({ before, cutoffs }) => before !== cutoffs)
  }

  #tracked(compactKey: ConflictKey): TrackedCutoffs {
    const name = conflictKeyId(compactKey)
    const tracked = this.#byCompactKey.get(name) ?? track(compactKey, new Map())
    this.#byCompactKey.set(name, tracked)
    return tracked
  }
}

function track(compactKey: ConflictKey, cutoffs: Map<number, number>): TrackedCutoffs {
  return { compactKey, before: cutoffs, current: cutoffs, older: [], targets: [] }
}

/** Returns the cutoffs to change in place. */
function changeable(tracked: TrackedCutoffs): Map<number, number> {
  if (tracked.current === tracked.before) tracked.current = new Map(tracked.before)
  return tracked.current
}

/** Returns the cutoff of a target: its own, or the time of the newest older compact state without it. */
function cutoffIn({ current, older }: TrackedCutoffs, targetFid: number): number {
  const own = current.get(targetFid) ?? NO_CUTOFF
  const unlisting = older.find(({ listed, timestamp }) => timestamp <= own || !listed.has(targetFid))
  return Math.max(own, unlisting?.timestamp ?? NO_CUTOFF)
}

/** Moves what older compact states void into the cutoffs, and returns these. */
function settled(tracked: TrackedCutoffs): Cutoffs {
  if (tracked.older.length === 0) return tracked.current
  for (const targetFid of tracked.targets) {
    const cutoff = cutoffIn(tracked, targetFid)
    if (cutoff > (tracked.current.get(targetFid) ?? NO_CUTOFF)) changeable(tracked).set(targetFid, cutoff)
  }
  tracked.older.length = 0
  return tracked.current
}

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

/** Deletes the cutoffs of compact states. */
export async function deleteCutoffs(db: Transaction, compactKeys: readonly ConflictKey[]): Promise<void> {
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
