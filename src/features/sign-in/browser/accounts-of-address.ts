import type { Queryable } from '../../../platform/db/connection.js'
import { authKeysOf } from '../../../protocol/auth-key.js'
import { KEY_TYPE_AUTH } from '../../../protocol/key-rules.js'
import type { AccountSummary } from '../../signers/key-request.js'

/** Most accounts of an address that a user can choose from. */
const MAX_ACCOUNTS = 20

/**
 * Lists the accounts that an address may sign in for: as custody address, then as auth address. Anyone can add the address of
 * another to an account, so the accounts that added it first come first, and none can displace the one that is asked for.
 *
 * @param address 20 bytes.
 * @param fid Only this account.
 */
export async function accountsOfAddress(
  db: Queryable,
  address: Buffer,
  fid?: number,
): Promise<AccountSummary[]> {
  return await db<AccountSummary[]>`
    select f.fid, u.username, u.display_name as "displayName"
    from (
      select fid, min(added_in) as added_in
      from (
        select fid, 0 as added_in from hub.fids where custody_address = ${address}::bytea
        union all
        select fid, block_number from hub.signers
        where key = any (${db.types.byteas(authKeysOf(address))}::bytea[]) and key_type = ${KEY_TYPE_AUTH} and active
      ) held
      where ${fid ?? null}::bigint is null or fid = ${fid ?? null}::bigint
      group by fid
    ) account
    join hub.fids f on f.fid = account.fid
    left join social.users u on u.fid = f.fid
    order by account.added_in, f.registered_at desc, f.fid desc
    limit ${MAX_ACCOUNTS}`
}
