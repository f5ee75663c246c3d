import type { Transaction } from '../../platform/db/connection.js'
import { type ConflictKey, conflictKeyId, type StoredMessage } from './stored-message.js'

/** The message that ended a loan. */
export type LoanEnd = Pick<StoredMessage, 'fid' | 'key' | 'ts' | 'hash'>

/** A loan's conflict key, and how it ended before and after the batch; null if nothing ended it. */
interface TrackedEnd {
  readonly conflictKey: ConflictKey
  readonly before: LoanEnd | null
  current: LoanEnd | null
}

/** Ends of one lender that are kept. They need storage that nobody pays for, as an ended loan is not stored. */
const MAX_ENDS = 1_000

/**
 * How loans of storage ended (docs/protocol.md §4.5). The message of 0 units is not stored, and another hub may have listed the
 * loan just before it: the copy must not revive the loan, whichever of the two arrives first.
 */
export class EndedLoans {
  readonly #ends = new Map<string, TrackedEnd>()

  load(conflictKey: ConflictKey, end: LoanEnd | null): void {
    this.#ends.set(conflictKeyId(conflictKey), { conflictKey, before: end, current: end })
  }

  get(conflictKey: ConflictKey): LoanEnd | null {
    return this.#ends.get(conflictKeyId(conflictKey))?.current ?? null
  }

  set(conflictKey: ConflictKey, end: LoanEnd | null): void {
    const tracked = this.#ends.get(conflictKeyId(conflictKey))
    if (tracked) tracked.current = end
    else this.#ends.set(conflictKeyId(conflictKey), { conflictKey, before: null, current: end })
  }

  /** Returns what this batch changed. */
  changes(): readonly TrackedEnd[] {
    return [...this.#ends.values()].filter(({ before, current }) => before !== current)
  }
}

/** Loads how loans ended, each of which may be given several times. A batch without loans runs no statement. */
export async function loadEndedLoans(db: Transaction, loans: readonly ConflictKey[]): Promise<LoanEnd[]> {
  if (loans.length === 0) return []
  return await db<LoanEnd[]>`
    select fid, key, ts, hash
    from (
      select distinct fid, key
      from unnest(
        ${loans.map(({ fid }) => fid)}::bigint[],
        ${db.types.byteas(loans.map(({ key }) => key))}::bytea[]
      ) as given (fid, key)
    ) inputs
    join hub.ended_loans using (fid, key)
  `
}

/** Writes the ends that a batch changed. Of each lender, the latest remain. */
export async function writeEndedLoans(db: Transaction, endedLoans: EndedLoans): Promise<void> {
  const changes = endedLoans.changes()
  const forgotten = changes.flatMap(({ conflictKey, current }) => (current ? [] : [conflictKey]))
  const ends = changes.flatMap(({ current }) => current ?? [])
  await Promise.all([
    forgotten.length > 0 ? deleteEnds(db, forgotten) : null,
    ...(ends.length > 0 ? [upsertEnds(db, ends), deleteOldEnds(db, ends)] : []),
  ])
}

async function deleteEnds(db: Transaction, loans: readonly ConflictKey[]): Promise<void> {
  await db`
    delete from hub.ended_loans e
    using unnest(
      ${loans.map(({ fid }) => fid)}::bigint[],
      ${db.types.byteas(loans.map(({ key }) => key))}::bytea[]
    ) as forgotten (fid, key)
    where e.fid = forgotten.fid and e.key = forgotten.key
  `
}

async function upsertEnds(db: Transaction, ends: readonly LoanEnd[]): Promise<void> {
  await db`
    insert into hub.ended_loans (fid, key, ts, hash)
    select fid, key, ts, hash
    from unnest(
      ${ends.map(({ fid }) => fid)}::bigint[],
      ${db.types.byteas(ends.map(({ key }) => key))}::bytea[],
      ${ends.map(({ ts }) => ts)}::bigint[],
      ${db.types.byteas(ends.map(({ hash }) => hash))}::bytea[]
    ) as ended (fid, key, ts, hash)
    on conflict (fid, key) do update set ts = excluded.ts, hash = excluded.hash
  `
}

async function deleteOldEnds(db: Transaction, ends: readonly LoanEnd[]): Promise<void> {
  await db`
    delete from hub.ended_loans e
    using (
      select lender.fid, old.key
      from unnest(${[...new Set(ends.map(({ fid }) => fid))]}::bigint[]) as lender (fid)
      cross join lateral (
        select key
        from hub.ended_loans
        where fid = lender.fid
        order by ts desc, key
        offset ${MAX_ENDS}::bigint
      ) old
    ) excess
    where e.fid = excess.fid and e.key = excess.key
  `
}
