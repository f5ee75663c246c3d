import type { Database } from '../../platform/db/connection.js'
import { KEY_TYPE_AUTH } from '../../protocol/key-rules.js'
import { type DehydratedUserRow, dehydratedUserColumns } from '../query/dehydrated-user-columns.js'

/** Everything that a view of a user shows. */
export interface UserRecord extends DehydratedUserRow {
  readonly bio: string | null
  readonly location: string | null
  readonly twitter: string | null
  readonly github: string | null
  readonly bannerUrl: string | null
  readonly primaryEthAddress: string | null
  readonly primarySolAddress: string | null
  readonly liveAt: string | null
  /** Farcaster seconds. */
  readonly liveAtTs: number | null
  /** Unix seconds, like the next two. Null and 0 mean that pro was never bought. */
  readonly registeredAt: number
  readonly proSince: number | null
  readonly proUntil: number
  readonly followerCount: number
  readonly followingCount: number
  /** Oldest first. */
  readonly verifications: readonly VerifiedAddress[]
  readonly authAddresses: readonly AuthAddressRecord[]
}

interface VerifiedAddress {
  /** Lowercase hex without 0x. */
  readonly address: string
  /** Protocol: 0 Ethereum, 1 Solana. */
  readonly protocol: number
}

interface AuthAddressRecord {
  /** Lowercase hex without 0x. */
  readonly key: string
  /** The app that requested it, which may register later. */
  readonly appFid: number
  /** Null while the app is not registered. */
  readonly app: DehydratedUserRow | null
}

/** Loads users, in one statement. The result has no entry for a fid that is not registered. */
export async function loadUsers(db: Database, fids: readonly number[]): Promise<Map<number, UserRecord>> {
  if (fids.length === 0) return new Map()
  const rows = await db<UserRecord[]>`
    select
      u.fid, u.username, u.display_name as "displayName", u.pfp_url as "pfpUrl", u.bio, u.location,
      -- The profile's own account comes before the one that the public client verified, also an empty one: it was cleared.
      nullif(coalesce(u.twitter, (
        select username from social.verified_accounts where fid = u.fid and platform = 'x'
      )), '') as twitter,
      nullif(coalesce(u.github, (
        select username from social.verified_accounts where fid = u.fid and platform = 'github'
      )), '') as github,
      u.banner_url as "bannerUrl", u.primary_eth_address as "primaryEthAddress",
      u.primary_sol_address as "primarySolAddress", u.live_at as "liveAt", u.live_at_ts as "liveAtTs",
      u.score, encode(u.custody_address, 'hex') as "custodyAddress", u.registered_at as "registeredAt",
      u.pro_since as "proSince", u.pro_until as "proUntil",
      coalesce(c.follower_count, 0) as "followerCount",
      coalesce(c.following_count, 0) as "followingCount",
      array_to_json(array(
        select json_build_object('address', encode(v.address, 'hex'), 'protocol', v.protocol)
        from social.verifications v
        where v.fid = u.fid
        order by v.ts, v.address
      )) as verifications,
      array_to_json(array(
        select json_build_object(
          'key', encode(s.key, 'hex'),
          'appFid', a.app_fid,
          'app', ${dehydratedUserColumns(db, 'app')}
        )
        from hub.signers s
        join social.signer_apps a on a.fid = s.fid and a.key = s.key
        left join social.users app on app.fid = a.app_fid
        where s.fid = u.fid and s.key_type = ${KEY_TYPE_AUTH} and s.active
        order by s.block_number, s.log_index
      )) as "authAddresses"
    from social.users u
    left join social.user_counts c on c.fid = u.fid
    -- The sub-select hides how many users are asked for. PostgreSQL sees it in a plain array and then plans every load of
    -- few users anew, as a plan for those few looks cheaper than the general one: 0.51 ms of CPU for one user, 0.66 for
    -- five. As it is here, planned once, 0.13 and 0.17 ms; 50 users take 0.65 ms either way.
    where u.fid = any (array(select unnest(${[...fids]}::bigint[])))
  `
  return new Map(rows.map((row) => [row.fid, row]))
}
