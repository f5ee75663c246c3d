import type { Database } from '../../platform/db/connection.js'
import { authKeysOf } from '../../protocol/auth-key.js'
import { MessageType, UserNameType } from '../../protocol/definitions.js'
import { KEY_TYPE_AUTH } from '../../protocol/key-rules.js'
import { MessageSet } from '../../protocol/message-kind.js'
import { type PageOptions, splitPage } from './page.js'

/** Fids in ascending or descending order; `last` is the last one when there are more. */
export interface FidPage {
  readonly fids: readonly number[]
  readonly last: number | null
}

/** Reads the fids of a shard. */
export async function readFidsByShard(
  db: Database,
  shard: number,
  { limit, reverse, after }: PageOptions<number>,
): Promise<FidPage> {
  const order = reverse ? db`desc` : db`asc`
  const afterCursor = reverse ? db`<` : db`>`
  const rows = await db<{ fid: number }[]>`
    select fid
    from hub.fids
    where shard = ${shard}::smallint
      and fid ${afterCursor} ${after ?? (reverse ? Number.MAX_SAFE_INTEGER : -1)}::bigint
    order by fid ${order}
    limit ${limit + 1}::bigint
  `
  const { page, last } = splitPage(rows, limit)
  return { fids: page.map(({ fid }) => fid), last: last?.fid ?? null }
}

/** The roles of an address for a user. */
export interface AddressRoles {
  readonly is_custody: boolean
  readonly is_auth: boolean
  readonly is_verified: boolean
}

/** Reads whether an address (20 bytes) has custody of a fid, authenticates for it, or is verified by it. */
export async function readAddressRoles(db: Database, fid: number, address: Buffer): Promise<AddressRoles> {
  const [row] = await db<AddressRoles[]>`
    select
      exists (
        select from hub.fids
        where fid = ${fid}::bigint and custody_address = ${address}::bytea
      ) as is_custody,
      exists (
        select from hub.signers
        where fid = ${fid}::bigint
          and key = any (${db.types.byteas(authKeysOf(address))}::bytea[])
          and key_type = ${KEY_TYPE_AUTH}::integer
          and active
      ) as is_auth,
      exists (
        select from hub.messages
        where fid = ${fid}::bigint
          and set = ${MessageSet.verifications}::smallint
          and key = ${address}::bytea
          and type = ${MessageType.VERIFICATION_ADD_ETH_ADDRESS}::smallint
      ) as is_verified
  `
  return row!
}

/** Most proofs of the list, which has no pages. Storage allows tens of them (docs/protocol.md §4.8). */
const MAX_PROOFS = 10_000

/** Reads the encoded protobuf UserNameProof of a name; null when no user has the name. */
export async function readUsernameProof(db: Database, name: string): Promise<Buffer | null> {
  // PostgreSQL's text cannot have the zero byte, which no name has.
  if (name.includes('\0')) return null
  const [row] = await db<{ proof: Buffer }[]>`
    select proof
    from hub.username_proofs
    where name = ${name} and fid > 0
  `
  return row?.proof ?? null
}

/** Reads the proofs of a user's names: those of the fname registry last, whichever way the others came (docs/protocol.md §2.1). */
export async function readUsernameProofsByFid(db: Database, fid: number): Promise<Buffer[]> {
  const rows = await db<{ proof: Buffer }[]>`
    select proof
    from hub.username_proofs
    where fid = ${fid}::bigint and fid > 0
    order by type = ${UserNameType.USERNAME_TYPE_FNAME}::smallint, ts, name
    limit ${MAX_PROOFS}::bigint
  `
  return rows.map((row) => row.proof)
}
