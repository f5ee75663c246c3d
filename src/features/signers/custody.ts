import type { Queryable } from '../../platform/db/connection.js'

/** Returns the custody address of a fid (20 bytes); null when it is not registered. */
export async function custodyOf(db: Queryable, fid: number): Promise<Buffer | null> {
  const [row] = await db<{ address: Buffer }[]>`
    select custody_address as address from hub.fids where fid = ${fid}`
  return row?.address ?? null
}

/** An account as the approval page shows it. */
export interface AccountSummary {
  readonly fid: number
  readonly username: string | null
  readonly displayName: string | null
}

/** Finds the account of a custody address: the newest when it holds several. */
export async function accountOfAddress(db: Queryable, address: Buffer): Promise<AccountSummary | null> {
  const [row] = await db<AccountSummary[]>`
    select f.fid, u.username, u.display_name as "displayName"
    from hub.fids f
    left join social.users u on u.fid = f.fid
    where f.custody_address = ${address}::bytea
    order by f.registered_at desc, f.fid desc
    limit 1`
  return row ?? null
}
