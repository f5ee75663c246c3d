import { MessageType } from '@farcaster/core'
import type { Database } from '../../platform/db/connection.js'
import { MessageSet } from '../../protocol/message-kind.js'

export interface FidPageOptions {
  readonly limit: number
  readonly reverse: boolean
  readonly after: number | null
}

/** Fids in their order; `last` is the last one when there are more behind it. */
export interface FidPage {
  readonly fids: readonly number[]
  readonly last: number | null
}

/** Keys of this type authenticate an address for a user, and sign nothing. */
const AUTH_KEY_TYPE = 2

/** The users of a shard. */
export async function readFidsByShard(db: Database, shard: number, page: FidPageOptions): Promise<FidPage> {
  const after = page.after ?? (page.reverse ? Number.MAX_SAFE_INTEGER : -1)
  const order = page.reverse ? db`desc` : db`asc`
  const afterCursor = page.reverse ? db`<` : db`>`
  const rows = await db<{ fid: number }[]>`
    select fid
    from hub.fids
    where shard = ${shard}::smallint
      and fid ${afterCursor} ${after}::bigint
    order by fid ${order}
    limit ${page.limit + 1}::bigint
  `
  const fids = rows.slice(0, page.limit).map((row) => row.fid)
  return { fids, last: fids.length === rows.length ? null : (fids.at(-1) ?? null) }
}

/** What an address is to a user. */
export interface AddressRoles {
  readonly is_custody: boolean
  readonly is_auth: boolean
  readonly is_verified: boolean
}

/** Whether an address holds the fid, authenticates for it, or was verified by it. */
export async function readAddressRoles(db: Database, fid: number, address: Buffer): Promise<AddressRoles> {
  const [row] = await db<AddressRoles[]>`
    select
      exists (
        select from hub.fids
        where fid = ${fid}::bigint and custody_address = ${address}::bytea
      ) as is_custody,
      exists (
        select from hub.signers
        where fid = ${fid}::bigint and key = ${address}::bytea and key_type = ${AUTH_KEY_TYPE}::integer and active
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
