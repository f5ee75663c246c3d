import type { Queryable } from '../../../platform/db/connection.js'
import { authKeysOf } from '../../../protocol/auth-key.js'
import { KEY_TYPE_AUTH } from '../../../protocol/key-rules.js'
import type { AccountSummary } from '../../signers/key-request.js'

/** Most accounts of an address that a user can choose from. */
const MAX_ACCOUNTS = 20

/**
 * Lists the accounts that an address may sign in for: as custody address, then as auth address.
 *
 * @param address 20 bytes.
 */
export async function accountsOfAddress(db: Queryable, address: Buffer): Promise<AccountSummary[]> {
  return await db<AccountSummary[]>`
    select f.fid, u.username, u.display_name as "displayName"
    from (
      select fid from hub.fids where custody_address = ${address}::bytea
      union
      select fid from hub.signers
      where key = any (${db.types.byteas(authKeysOf(address))}::bytea[]) and key_type = ${KEY_TYPE_AUTH} and active
    ) account
    join hub.fids f on f.fid = account.fid
    left join social.users u on u.fid = f.fid
    order by f.custody_address = ${address}::bytea desc, f.registered_at desc, f.fid desc
    limit ${MAX_ACCOUNTS}`
}
