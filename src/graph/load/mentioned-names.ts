import type { Database } from '../../platform/db/connection.js'
import { type DehydratedUserRow, dehydratedUserColumns } from '../query/dehydrated-user-columns.js'
import type { ChannelName } from './cast-record.js'

/** The users and channels that `@name` and `/channel` in texts refer to. */
export interface TextNames {
  readonly users: ReadonlyMap<string, DehydratedUserRow>
  readonly channels: ReadonlyMap<string, ChannelName>
}

/** The names that texts mention. */
export interface MentionedNames {
  readonly usernames: readonly string[]
  readonly channelIds: readonly string[]
}

/** Looks up names in one statement; in none when there are no names. */
export async function loadNames(db: Database, mentioned: MentionedNames): Promise<TextNames> {
  if (mentioned.usernames.length === 0 && mentioned.channelIds.length === 0) return noNames
  const rows = await db<{ username: string; user: DehydratedUserRow; channel: null | ChannelName }[]>`
    select u.username, ${dehydratedUserColumns(db, 'u')} as user, null as channel
    from social.users u
    where u.username = any (${db.types.texts(mentioned.usernames)}::text[])
    union all
    select null, null, json_build_object('id', id, 'name', name, 'imageUrl', image_url)
    from channels.channels
    where id = any (${db.types.texts(mentioned.channelIds)}::text[])
  `
  const users = new Map<string, DehydratedUserRow>()
  const channels = new Map<string, ChannelName>()
  for (const { username, user, channel } of rows) {
    if (channel) channels.set(channel.id, channel)
    else users.set(username, user)
  }
  return { users, channels }
}

const noNames: TextNames = { users: new Map(), channels: new Map() }
