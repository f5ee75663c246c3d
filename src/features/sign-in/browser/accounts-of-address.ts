import type { Queryable } from '../../../platform/db/connection.js'
import type { AccountSummary } from '../../signers/key-request.js'
import { AUTH_ADDRESS_KEY_TYPE } from '../../signers/signer-record.js'

/** Most accounts of an address that a user can choose from. */
const MAX_ACCOUNTS = 20

/**
 * Lists the accounts that an address may sign in for: as custody address, then as auth address.
 *
 * @param address 20 bytes.
 */
export async function accountsOfAddress(db: Queryable, address: Buffer): Promise<AccountSummary[]> {
  // Hubs know auth addresses bare and as ABI words.
  const keys = [address, Buffer.concat([Buffer.alloc(12), address])]
  return await db<AccountSummary[]>`
    select f.fid, u.username, u.display_name as "displayName"
    from (
      select fid from hub.fids where custody_address = ${address}::bytea
      union
      select fid from hub.signers
      where key = any (${db.types.byteas(keys)}::bytea[]) and key_type = ${AUTH_ADDRESS_KEY_TYPE} and active
    ) account
    join hub.fids f on f.fid = account.fid
    left join social.users u on u.fid = f.fid
    order by f.custody_address = ${address}::bytea desc, f.registered_at desc, f.fid desc
    limit ${MAX_ACCOUNTS}`
}
