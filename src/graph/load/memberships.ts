import type { Database } from '../../platform/db/connection.js'
import { literal } from '../../platform/db/literal.js'

/** The channels of a user. */
export interface UserMemberships {
  /** Ids of the channels that the user follows. */
  readonly channels: ReadonlySet<string>
  /** The user's roles, by the id of the channel: `owner`, `moderator` or `member`. */
  readonly roles: ReadonlyMap<string, string>
}

interface MembershipRow {
  fid: number
  followed: string[]
  owned: string[]
  roles: Record<string, string> | null
}

/**
 * Loads all channels of users, in one statement. Null for a user who follows, owns or is a member of more than
 * `maxChannels`.
 */
export async function loadMemberships(
  db: Database,
  fids: readonly number[],
  maxChannels: number,
): Promise<Map<number, UserMemberships | null>> {
  const limit = literal(db, maxChannels + 1)
  const rows = await db<MembershipRow[]>`
    select
      fid,
      array(select channel_id from channels.follows f where f.fid = requested.fid limit ${limit}) as followed,
      array(select id from channels.channels c where c.lead_fid = requested.fid limit ${limit}) as owned,
      (
        select json_object_agg(channel_id, role)
        from (select channel_id, role from channels.members m where m.fid = requested.fid limit ${limit}) found
      ) as roles
    from unnest(${[...fids]}::bigint[]) as requested (fid)
  `
  return new Map(rows.map((row) => [row.fid, membershipsIn(row, maxChannels)]))
}

function membershipsIn(
  { followed, owned, roles }: MembershipRow,
  maxChannels: number,
): UserMemberships | null {
  const held = Object.entries(roles ?? {})
  if (Math.max(followed.length, owned.length, held.length) > maxChannels) return null
  // A channel has one owner, whatever its list of members says.
  const owner = owned.map((id) => [id, 'owner'] as const)
  return { channels: new Set(followed), roles: new Map([...held, ...owner]) }
}
