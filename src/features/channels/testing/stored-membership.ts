import type { Database } from '../../../platform/db/connection.js'

/** How a user stands to a channel, as the tables have it. */
export interface StoredMembership {
  readonly role: 'member' | 'moderator' | 'owner' | null
  /** The role of the open invite. */
  readonly invited: 'member' | 'moderator' | null
  readonly isRestricted: boolean
}

/** Every state that a user and a channel may be in: there is no other. */
export const validMemberships: readonly StoredMembership[] = [
  { role: null, invited: null, isRestricted: false },
  { role: null, invited: 'member', isRestricted: false },
  { role: null, invited: null, isRestricted: true },
  { role: null, invited: 'member', isRestricted: true },
  { role: 'member', invited: null, isRestricted: false },
  { role: 'member', invited: 'moderator', isRestricted: false },
  { role: 'moderator', invited: null, isRestricted: false },
  { role: 'owner', invited: null, isRestricted: false },
]

/** A channel as the tables have it. */
export interface StoredChannel {
  readonly memberships: ReadonlyMap<number, StoredMembership>
  readonly memberCount: number
  /** In the order of fids. */
  readonly moderatorFids: readonly number[]
}

/** Reads how these users stand to a channel, and what the channel says of them. */
export async function readStoredChannel(
  db: Database,
  id: string,
  fids: readonly number[],
): Promise<StoredChannel> {
  const rows = await db<(StoredMembership & { fid: number })[]>`
    select asked.fid,
      case when c.lead_fid = asked.fid then 'owner' else m.role end as role,
      i.role as invited, r.fid is not null as "isRestricted"
    from unnest(${[...fids]}::bigint[]) as asked (fid)
    join channels.channels c on c.id = ${id}
    left join channels.members m on m.channel_id = c.id and m.fid = asked.fid
    left join channels.invites i on i.channel_id = c.id and i.fid = asked.fid and i.state = 'invited'
    left join channels.restricted r on r.channel_id = c.id and r.fid = asked.fid
    order by asked.fid
  `
  const [channel] = await db<{ memberCount: number; moderatorFids: number[] }[]>`
    select member_count as "memberCount", moderator_fids as "moderatorFids"
    from channels.channels where id = ${id}
  `
  return {
    memberships: new Map(rows.map(({ fid, ...membership }) => [fid, membership])),
    memberCount: channel!.memberCount,
    moderatorFids: [...channel!.moderatorFids].sort((a, b) => a - b),
  }
}
