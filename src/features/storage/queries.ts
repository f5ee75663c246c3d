import type { Database } from '../../platform/db/connection.js'

/** A rent of storage units. Times are Unix seconds. */
export interface RentRow {
  readonly units: number
  readonly rentedAt: number
  readonly expiresAt: number
}

/** Reads all rents of a user, newest first. */
export async function readRents(db: Database, fid: number): Promise<RentRow[]> {
  return await db<RentRow[]>`
    select units, rented_at as "rentedAt", expires_at as "expiresAt"
    from hub.storage_rents
    where fid = ${fid}::bigint
    order by block_number desc, log_index desc`
}

/** Counts the active keys of a user. */
export async function countSigners(db: Database, fid: number): Promise<number> {
  const [row] = await db<{ signers: number }[]>`
    select count(*)::integer as signers from hub.signers where fid = ${fid}::bigint and active`
  return row?.signers ?? 0
}
