import type { DehydratedUserRow } from '../query/dehydrated-user-columns.js'
import type { UserDehydrated } from './schema/user-dehydrated.js'

/** The name that is shown for a user: its username, else `!fid`. */
export function usernameOrPlaceholder(user: Pick<DehydratedUserRow, 'fid' | 'username'>): string {
  return user.username ?? `!${user.fid}`
}

/** The dehydrated form of a user. */
export function userDehydrated(user: DehydratedUserRow): UserDehydrated {
  return {
    object: 'user_dehydrated',
    fid: user.fid,
    username: usernameOrPlaceholder(user),
    display_name: user.displayName,
    pfp_url: user.pfpUrl,
    custody_address: `0x${user.custodyAddress}`,
    score: user.score ?? 0,
  }
}
