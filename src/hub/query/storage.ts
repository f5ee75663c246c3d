import type { Database } from '../../platform/db/connection.js'
import type { MessageSet } from '../../protocol/message-kind.js'
import { type StorageUnits, usableUnits } from '../storage-limits.js'

/** A user's storage, and how much of it is used. */
export interface StorageUsage {
  /** Rented by or for the user, and not expired. */
  readonly rented: StorageUnits
  readonly lent: StorageUnits
  readonly borrowed: StorageUnits
  /** After lends in both directions: these units limit the user's messages. */
  readonly usable: StorageUnits
  /** Messages in each set; a set that is missing is empty. */
  readonly used: ReadonlyMap<MessageSet, number>
  /** When the pro tier ends, in Unix seconds; 0 if it was never bought. */
  readonly proUntil: number
}

interface StorageRow {
  kind: 'rented' | 'lent' | 'borrowed' | 'used' | 'pro'
  /** A StorageUnitType, or a set for `used`. */
  key: number
  value: number
}

/** Reads a user's storage at `now`, in Unix seconds. */
export async function readStorageUsage(db: Database, fid: number, now: number): Promise<StorageUsage> {
  const rows = await db<StorageRow[]>`
    select 'rented' as kind, unit_type as key, sum(units) as value
    from hub.storage_rents
    where fid = ${fid}::bigint and expires_at > ${now}::bigint
    group by unit_type
    union all
    select 'lent', unit_type, sum(units)
    from hub.storage_loans
    where from_fid = ${fid}::bigint
    group by unit_type
    union all
    select 'borrowed', unit_type, sum(units)
    from hub.storage_loans
    where to_fid = ${fid}::bigint
    group by unit_type
    union all
    select 'used', set, count
    from hub.set_counts
    where fid = ${fid}::bigint
    union all
    select 'pro', 0, pro_until
    from hub.fids
    where fid = ${fid}::bigint
  `
  const rented = unitsOf(rows, 'rented')
  const lent = unitsOf(rows, 'lent')
  const borrowed = unitsOf(rows, 'borrowed')
  return {
    rented,
    lent,
    borrowed,
    usable: usableUnits(rented, lent, borrowed),
    used: new Map(rows.filter((row) => row.kind === 'used').map((row) => [row.key as MessageSet, row.value])),
    proUntil: rows.find((row) => row.kind === 'pro')?.value ?? 0,
  }
}

function unitsOf(rows: readonly StorageRow[], kind: StorageRow['kind']): StorageUnits {
  const unitsOfType = (type: number) => rows.find((row) => row.kind === kind && row.key === type)?.value ?? 0
  return { legacy: unitsOfType(0), y2024: unitsOfType(1), y2025: unitsOfType(2) }
}
