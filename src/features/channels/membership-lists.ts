import { MAX_SORT_KEY } from '../../graph/query/user-popularity.js'
import type { ChannelMemberRole } from '../../graph/view/schema/primitives.js'
import type { Database } from '../../platform/db/connection.js'
import type { InvitedRole } from './membership-rules.js'

/** A member of a channel. */
export interface MemberRow {
  readonly fid: number
  readonly role: ChannelMemberRole
  /** Unix seconds; for the owner, when the channel was created. */
  readonly memberSince: number
}

/** The last row of the previous page: Unix seconds, and a fid or channel id that breaks ties. */
type MembershipCursor<Name> = readonly [at: number, name: Name] | null

/** Parameters of `listMembers`. */
export interface MembersQuery {
  readonly channelId: string
  /** Fids that the list leaves out. */
  readonly hidden: readonly number[]
  readonly limit: number
  readonly after: MembershipCursor<number>
}

/** Lists members of a channel, newest first; the owner joined when the channel was created. */
export function listMembers(
  db: Database,
  { channelId, hidden, limit, after }: MembersQuery,
): Promise<MemberRow[]> {
  const [at, fid] = after ?? [MAX_SORT_KEY, MAX_SORT_KEY]
  return db<MemberRow[]>`
    select fid, role, member_since as "memberSince"
    from (
      (
        select fid, role, member_since from channels.members
        where channel_id = ${channelId} and (member_since, fid) < (${at}::bigint, ${fid}::bigint)
          and fid <> all (${[...hidden]}::bigint[])
        order by member_since desc, fid desc
        limit ${limit}
      )
      union all
      select lead_fid, 'owner', created_at from channels.channels
      where id = ${channelId} and lead_fid <> 0 and (created_at, lead_fid) < (${at}::bigint, ${fid}::bigint)
        and lead_fid <> all (${[...hidden]}::bigint[])
    ) belonging
    order by member_since desc, fid desc
    limit ${limit}`
}

/** Finds one user's membership of a channel; null when there is none. */
export async function findMember(db: Database, channelId: string, fid: number): Promise<MemberRow | null> {
  const [row] = await db<MemberRow[]>`
    select ${fid}::bigint as fid, 'owner' as role, created_at as "memberSince"
    from channels.channels
    where id = ${channelId} and lead_fid = ${fid} and lead_fid <> 0
    union all
    select fid, role, member_since from channels.members where channel_id = ${channelId} and fid = ${fid}
    limit 1`
  return row ?? null
}

/** A channel that a user belongs to. */
export interface MembershipRow {
  readonly channelId: string
  readonly role: ChannelMemberRole
  /** Unix seconds. */
  readonly memberSince: number
}

/** Lists channels that a user belongs to, last joined first; led channels count from their creation. */
export function listMemberships(
  db: Database,
  fid: number,
  limit: number,
  after: MembershipCursor<string>,
): Promise<MembershipRow[]> {
  const [at, id] = after ?? [MAX_SORT_KEY, '']
  return db<MembershipRow[]>`
    select id as "channelId", role, at as "memberSince"
    from (
      (
        select channel_id as id, role, member_since as at from channels.members
        where fid = ${fid} and (member_since, channel_id) < (${at}::bigint, ${id})
        order by member_since desc, channel_id desc
        limit ${limit}
      )
      union all
      (
        select id, 'owner', created_at from channels.channels
        where lead_fid = ${fid} and (created_at, id) < (${at}::bigint, ${id})
        order by created_at desc, id desc
        limit ${limit}
      )
    ) belonging
    order by at desc, id desc
    limit ${limit}`
}

/** An open invite. */
export interface InviteRow {
  readonly channelId: string
  readonly fid: number
  readonly inviterFid: number
  readonly role: InvitedRole
  /** Unix seconds. */
  readonly invitedAt: number
}

/** Parameters of `listInvites`. */
export interface InvitesQuery {
  readonly channelId: string | undefined
  /** The invited user. */
  readonly fid: number | undefined
  /** Fids whose invites the list leaves out, those that they sent and those that they got. */
  readonly hidden: readonly number[]
  readonly limit: number
}

/**
 * Lists open invites to a channel or of a user, newest first. There is at most one of a user to a channel.
 *
 * @param after Ties are broken by the fid, in lists of a user by the channel's id.
 */
export function listInvites(
  db: Database,
  { channelId, fid, hidden, limit }: InvitesQuery,
  after: MembershipCursor<number | string>,
): Promise<InviteRow[]> {
  const isOfUser = channelId === undefined
  const tieBreaker = db(isOfUser ? 'channel_id' : 'fid')
  const [at, name] = after ?? [MAX_SORT_KEY, isOfUser ? '' : MAX_SORT_KEY]
  return db<InviteRow[]>`
    select channel_id as "channelId", fid, inviter_fid as "inviterFid", role, invited_at as "invitedAt"
    from channels.invites
    where state = 'invited'
      ${channelId === undefined ? db`` : db`and channel_id = ${channelId}`}
      ${fid === undefined ? db`` : db`and fid = ${fid}`}
      and (invited_at, ${tieBreaker}) < (${at}::bigint, ${name})
      and fid not in (select unnest(${[...hidden]}::bigint[]))
      and inviter_fid not in (select unnest(${[...hidden]}::bigint[]))
    order by invited_at desc, ${tieBreaker} desc
    limit ${limit}`
}

/** The memberships of one user in a channel, in words. */
export interface ChannelMembership {
  readonly fid: number
  /** `owner`, `moderator`, `member`, `invited as …`, `restricted` or `banned`. A user may be listed twice. */
  readonly membership: string
}

/** Lists members, open invites, restricted and banned users of a channel; empty when the channel does not exist. */
export function listChannelMemberships(db: Database, id: string): Promise<ChannelMembership[]> {
  return db<ChannelMembership[]>`
    select fid, membership
    from (
      select 1 as place, lead_fid as fid, 'owner' as membership, 0 as at from channels.channels
      where id = ${id} and lead_fid <> 0
      union all
      select case role when 'moderator' then 2 else 3 end, fid, role, member_since
      from channels.members where channel_id = ${id}
      union all
      select 4, fid, 'invited as ' || role, invited_at
      from channels.invites where channel_id = ${id} and state = 'invited'
      union all
      select 5, fid, 'restricted', restricted_at from channels.restricted where channel_id = ${id}
      union all
      select 6, fid, 'banned', 0 from channels.bans where channel_id = ${id}
    ) people
    order by place, at, fid`
}
