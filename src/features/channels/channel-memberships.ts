import type { Database } from '../../platform/db/connection.js'

/** What a user is to a channel, in words. */
export interface ChannelMembership {
  readonly fid: number
  /** `owner`, `moderator`, `member`, `invited as …` or `restricted`; somebody may be in the list twice. */
  readonly standing: string
}

/** Everybody who belongs to a channel, has an open invite or was removed; nobody where there is no channel. */
export function listChannelMemberships(db: Database, id: string): Promise<ChannelMembership[]> {
  return db<ChannelMembership[]>`
    select fid, standing
    from (
      select 1 as place, lead_fid as fid, 'owner' as standing, 0 as at from channels.channels where id = ${id}
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
