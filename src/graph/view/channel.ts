import type { ChannelRecord } from '../load/channel-record.js'
import type { UserRecord } from '../load/user-record.js'
import { dateTimeOf } from './formats.js'
import type { Channel } from './schema/channel.js'
import { insertMentions } from './text-ranges.js'
import { userDehydrated, usernameOrPlaceholder } from './user-dehydrated.js'

/**
 * Makes the part of a channel that is the same for every viewer, without its lead: `lead` and the deprecated
 * `moderator` and `hosts` are always the same user and are rendered later.
 */
export function presentChannel(
  channel: ChannelRecord,
  users: ReadonlyMap<number, UserRecord>,
): Omit<Channel, 'lead' | 'moderator' | 'hosts' | 'viewer_context'> {
  const description = insertMentions(
    channel.description,
    channel.descriptionMentions,
    channel.descriptionMentionPositions,
    (fid) => nameOf(fid, users),
  )
  return {
    object: 'channel',
    id: channel.id,
    url: channel.url,
    parent_url: channel.parentUrl,
    name: channel.name,
    description: description.text,
    description_mentioned_profiles: description.mentions.map(({ fid }) => userDehydrated(users.get(fid)!)),
    description_mentioned_profiles_ranges: description.mentions.map(({ range }) => range),
    ...(channel.imageUrl ? { image_url: channel.imageUrl } : {}),
    ...(channel.externalLinkUrl
      ? { external_link: { title: channel.externalLinkTitle ?? '', url: channel.externalLinkUrl } }
      : {}),
    created_at: dateTimeOf(channel.createdAt),
    follower_count: channel.followerCount,
    member_count: channel.memberCount,
    moderator_fids: [...channel.moderatorFids],
    ...(channel.pinnedCastHash ? { pinned_cast_hash: `0x${channel.pinnedCastHash}` } : {}),
  }
}

function nameOf(fid: number, users: ReadonlyMap<number, UserRecord>): string | undefined {
  const user = users.get(fid)
  return user && usernameOrPlaceholder(user)
}
