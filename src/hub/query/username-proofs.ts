import type { Database } from '../../platform/db/connection.js'

/** Bounds a list that has no pages: names of a user. Storage limits it to tens (docs/protocol.md §4.8). */
const MAX_PROOFS = 10_000

/** Who holds a name now: an encoded protobuf UserNameProof; null when nobody does. */
export async function readUsernameProof(db: Database, name: string): Promise<Buffer | null> {
  // PostgreSQL's text holds everything but the zero byte, which no name has.
  if (name.includes('\0')) return null
  const [row] = await db<{ proof: Buffer }[]>`
    select proof
    from hub.username_proofs
    where name = ${name} and fid > 0
  `
  return row?.proof ?? null
}

/** The names that a user holds: those of other name services first, then those of the fname registry. */
export async function readUsernameProofsByFid(db: Database, fid: number): Promise<Buffer[]> {
  const rows = await db<{ proof: Buffer }[]>`
    select proof
    from hub.username_proofs
    where fid = ${fid}::bigint
    order by message_hash is null, ts, name
    limit ${MAX_PROOFS}::bigint
  `
  return rows.map((row) => row.proof)
}
