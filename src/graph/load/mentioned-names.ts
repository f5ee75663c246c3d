import type { Database } from '../../platform/db/connection.js'
import type { ChannelName } from './cast-record.js'
import type { UserName } from './user-record.js'

/** The users and channels that `@name` and `/channel` in texts refer to. */
export interface TextNames {
  readonly users: ReadonlyMap<string, UserName>
  readonly channels: ReadonlyMap<string, ChannelName>
}

/** The names that texts mention. */
export interface MentionedNames {
  readonly usernames: readonly string[]
  readonly channelIds: readonly string[]
}

interface NameRow {
  username: string | null
  user: UserName | null
  channel: ChannelName | null
}

/** Looks up names in one statement; in none when there are no names. */
export async function loadNames(db: Database, mentioned: MentionedNames): Promise<TextNames> {
  if (mentioned.usernames.length === 0 && mentioned.channelIds.length === 0) return noNames
  const rows = await db<NameRow[]>`
    select
      username,
      json_build_object(
        'fid', fid, 'username', username, 'displayName', display_name, 'pfpUrl', pfp_url,
        'custodyAddress', encode(custody_address, 'hex'), 'score', score
      ) as user,
      null as channel
    from social.users
    where username = any (${db.types.texts(mentioned.usernames)}::text[])
    union all
    select null, null, json_build_object('id', id, 'name', name, 'imageUrl', image_url)
    from channels.channels
    where id = any (${db.types.texts(mentioned.channelIds)}::text[])
  `
  const users = new Map<string, UserName>()
  const channels = new Map<string, ChannelName>()
  for (const { username, user, channel } of rows) {
    if (username !== null && user) users.set(username, user)
    if (channel) channels.set(channel.id, channel)
  }
  return { users, channels }
}

const noNames: TextNames = { users: new Map(), channels: new Map() }
