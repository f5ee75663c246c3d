import type { Database } from '../../../platform/db/connection.js'

/** The membership of a user as stored. */
export interface StoredMembership {
  readonly role: 'member' | 'moderator' | 'owner' | null
  /** The role of the open invite. */
  readonly invited: 'member' | 'moderator' | null
  readonly isRestricted: boolean
}

/** Every valid combination of stored membership rows. */
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

/** A channel as stored. */
export interface StoredChannel {
  readonly memberships: ReadonlyMap<number, StoredMembership>
  readonly memberCount: number
  /** In order of fid. */
  readonly moderatorFids: readonly number[]
}

/** Reads the stored memberships of users and the channel's own counters. */
export async function readStoredChannel(
  db: Database,
  id: string,
  fids: readonly number[],
): Promise<StoredChannel> {
  const rows = await db<(StoredMembership & { fid: number })[]>`
    select requested.fid,
      case when c.lead_fid = requested.fid then 'owner' else m.role end as role,
      i.role as invited, r.fid is not null as "isRestricted"
    from unnest(${[...fids]}::bigint[]) as requested (fid)
    join channels.channels c on c.id = ${id}
    left join channels.members m on m.channel_id = c.id and m.fid = requested.fid
    left join channels.invites i on i.channel_id = c.id and i.fid = requested.fid and i.state = 'invited'
    left join channels.restricted r on r.channel_id = c.id and r.fid = requested.fid
    order by requested.fid
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
