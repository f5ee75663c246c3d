import type { Database } from '../../platform/db/connection.js'
import { literal } from '../../platform/db/literal.js'
import { MessageType, UserNameType } from '../../protocol/definitions.js'
import { MessageSet } from '../../protocol/message-kind.js'

/** A user and the addresses that they have: found by a name. */
export interface NamedAddresses {
  readonly fid: number
  /** 20 bytes; null if the fid is not registered here. */
  readonly custodyAddress: Buffer | null
  /** Verified addresses of Ethereum and Solana, by their bytes. */
  readonly connectedAddresses: readonly Buffer[]
}

/** A user who has an address. */
export interface AddressMatch {
  readonly fid: number
  readonly isCustody: boolean
  readonly isVerified: boolean
}

/** Most users of one address in a reply. */
const MAX_MATCHES = 1_000

/** Returns the type of names with the ending of this one. */
export function nameTypeOf(name: string): UserNameType {
  const lower = name.toLowerCase()
  if (lower.endsWith('.base.eth')) return UserNameType.USERNAME_TYPE_BASENAME
  return lower.endsWith('.eth') ? UserNameType.USERNAME_TYPE_ENS_L1 : UserNameType.USERNAME_TYPE_FNAME
}

/** Reads who holds a name of a type, exactly as spelled; null if nobody does. */
export async function readFidByName(db: Database, name: string, type: UserNameType): Promise<number | null> {
  // PostgreSQL's text cannot have the zero byte, which no name has.
  if (name.includes('\0')) return null
  const [row] = await db<{ fid: number }[]>`
    select fid
    from hub.username_proofs
    where name = ${name} and type = ${type}::smallint and fid > 0
  `
  return row?.fid ?? null
}

/** Reads the addresses of who holds a name of a type; null if nobody does. */
export async function readAddressesByName(
  db: Database,
  name: string,
  type: UserNameType,
): Promise<NamedAddresses | null> {
  if (name.includes('\0')) return null
  const [row] = await db<NamedAddresses[]>`
    select
      p.fid,
      f.custody_address as "custodyAddress",
      array(
        select m.key
        from hub.messages m
        where m.fid = p.fid
          and m.set = ${literal(db, MessageSet.verifications)}
          and m.type = ${MessageType.VERIFICATION_ADD_ETH_ADDRESS}::smallint
        order by m.key
      ) as "connectedAddresses"
    from hub.username_proofs p
    left join hub.fids f on f.fid = p.fid
    where p.name = ${name} and p.type = ${type}::smallint and p.fid > 0
  `
  return row ?? null
}

/** Reads the users of an address: first those whose custody address it is, then those who have verified it. */
export async function readFidsByAddress(db: Database, address: Buffer): Promise<AddressMatch[]> {
  return await db<AddressMatch[]>`
    select
      fid,
      bool_or(is_custody) as "isCustody",
      bool_or(not is_custody) as "isVerified"
    from (
      select fid, true as is_custody
      from hub.fids
      where custody_address = ${address}::bytea
      union all
      select fid, false
      from hub.messages
      where set = ${literal(db, MessageSet.verifications)}
        and key = ${address}::bytea
        and type = ${MessageType.VERIFICATION_ADD_ETH_ADDRESS}::smallint
    ) matches
    group by fid
    order by bool_or(is_custody) desc, fid
    limit ${MAX_MATCHES}::bigint
  `
}
