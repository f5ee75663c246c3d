import type { Database } from '../../platform/db/connection.js'
import { ReactionType } from '../../protocol/definitions.js'

/** An index is read up to this: some milliseconds for each number. */
export const COUNTED_TO = 10_000

/** Numbers of what the ban of a user by an app leaves out. */
interface BanEffectRow {
  /** Unix seconds. */
  readonly bannedAt: number | null
  readonly bans: number
  readonly casts: number
  readonly replies: number
  readonly likes: number
  readonly recasts: number
  readonly followers: number
  readonly following: number
  readonly led_channels: number
  readonly memberships: number
}

/** Counts what the ban of a user by an app leaves out, each up to `COUNTED_TO` apart from the counters. */
export async function readBanEffect(db: Database, appId: string, fid: number): Promise<BanEffectRow> {
  const reactions = (type: ReactionType) => db`(
    select count(*) from (
      select from social.reactions r where r.fid = ${fid}::bigint and r.type = ${type}::smallint limit ${COUNTED_TO}
    ) counted
  )`
  const [row] = await db<BanEffectRow[]>`
    select
      (select banned_at from moderation.bans where app_id = ${appId}::uuid and fid = ${fid}::bigint) as "bannedAt",
      (select count(*) from moderation.bans where app_id = ${appId}::uuid) as bans,
      written.casts, written.replies,
      ${reactions(ReactionType.LIKE)} as likes,
      ${reactions(ReactionType.RECAST)} as recasts,
      coalesce(counts.follower_count, 0) as followers,
      coalesce(counts.following_count, 0) as following,
      (select count(*) from (
        select from channels.channels where lead_fid = ${fid}::bigint limit ${COUNTED_TO}
      ) led) as led_channels,
      (select count(*) from (
        select from channels.members m where m.fid = ${fid}::bigint limit ${COUNTED_TO}
      ) joined) as memberships
    from (
      select count(*) as casts, count(parent_hash) as replies
      from (select parent_hash from social.casts c where c.fid = ${fid}::bigint limit ${COUNTED_TO}) counted
    ) written
    left join social.user_counts counts on counts.fid = ${fid}::bigint
  `
  return row!
}
