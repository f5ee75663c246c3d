import type { Database } from '../../platform/db/connection.js'

/** The memberships of one user in a channel, in words. */
export interface ChannelMembership {
  readonly fid: number
  /** `owner`, `moderator`, `member`, `invited as …` or `restricted`. A user may be listed twice. */
  readonly membership: string
}

/** Lists the members, open invites and banned users of a channel; empty when the channel does not exist. */
export function listChannelMemberships(db: Database, id: string): Promise<ChannelMembership[]> {
  return db<ChannelMembership[]>`
    select fid, membership
    from (
      select 1 as place, lead_fid as fid, 'owner' as membership, 0 as at from channels.channels where id = ${id}
      union all
      select case role when 'moderator' then 2 else 3 end, fid, role, member_since
      from channels.members where channel_id = ${id}
      union all
      select 4, fid, 'invited as ' || role, invited_at
      from channels.invites where channel_id = ${id} and state = 'invited'
      union all
      select 5, fid, 'restricted', restricted_at from channels.restricted where channel_id = ${id}
    ) people
    order by place, at, fid
  `
}
