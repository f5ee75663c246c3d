import type { ChannelName } from '../load/cast-record.js'
import type { ChannelRecord } from '../load/channel-record.js'
import type { UserRecord } from '../load/user-record.js'
import type { ViewerRelations } from '../load/viewer.js'
import type { DehydratedUserRow } from '../query/dehydrated-user-columns.js'
import { dateTimeOf } from './formats.js'
import { knownMentions, mentionCandidates } from './mention-candidates.js'
import type { Channel } from './schema/channel.js'
import type { ChannelDehydrated, ChannelUserContext } from './schema/channel-dehydrated.js'
import { MAX_INT32 } from './schema/primitives.js'
import { insertMentions } from './text-ranges.js'
import { userDehydrated, usernameOrPlaceholder } from './user-dehydrated.js'

/** Users whom the descriptions of channels mention. */
export interface DescribedUsers {
  readonly users: ReadonlyMap<number, UserRecord>
  readonly usersByName: ReadonlyMap<string, DehydratedUserRow>
}

/**
 * Makes the part of a channel that is the same for every viewer, without its lead: `lead` and the deprecated
 * `moderator` and `hosts` are always the same user and are rendered later.
 */
export function presentChannel(
  channel: ChannelRecord,
  described: DescribedUsers,
): Omit<Channel, 'lead' | 'moderator' | 'hosts' | 'viewer_context'> {
  const { text, mentions } = presentDescription(channel, described)
  return {
    object: 'channel',
    id: channel.id,
    url: channel.url,
    parent_url: channel.parentUrl,
    name: channel.name,
    description: text,
    description_mentioned_profiles: mentions.map(({ user }) => userDehydrated(user)),
    description_mentioned_profiles_ranges: mentions.map(({ range }) => range),
    ...(channel.imageUrl ? { image_url: channel.imageUrl } : {}),
    ...(channel.externalLinkUrl
      ? { external_link: { title: channel.externalLinkTitle ?? '', url: channel.externalLinkUrl } }
      : {}),
    created_at: dateTimeOf(channel.createdAt),
    follower_count: channel.followerCount,
    member_count: channel.memberCount,
    // A message of the protocol names any uint32, but clients decode an int32 and no user has another.
    moderator_fids: channel.moderatorFids.filter((fid) => fid <= MAX_INT32),
    ...(channel.pinnedCastHash && channel.hasPinnedCast
      ? { pinned_cast_hash: `0x${channel.pinnedCastHash}` }
      : {}),
  }
}

function presentDescription(channel: ChannelRecord, { users, usersByName }: DescribedUsers) {
  const { description, descriptionMentions, descriptionMentionPositions } = channel
  if (channel.hasNamesInDescription)
    return { text: description, mentions: knownMentions(mentionCandidates(description), usersByName) }
  const { text, mentions } = insertMentions(
    description,
    descriptionMentions,
    descriptionMentionPositions,
    (fid) => nameOf(fid, users),
  )
  return { text, mentions: mentions.map(({ fid, range }) => ({ user: users.get(fid)!, range })) }
}

function nameOf(fid: number, users: ReadonlyMap<number, UserRecord>): string | undefined {
  const user = users.get(fid)
  return user && usernameOrPlaceholder(user)
}

/** The dehydrated form of a channel, without viewer context. */
export function channelDehydrated(channel: ChannelName): ChannelDehydrated {
  return {
    object: 'channel_dehydrated',
    id: channel.id,
    name: channel.name,
    ...(channel.imageUrl ? { image_url: channel.imageUrl } : {}),
  }
}

/** The viewer context of a channel. */
export function channelUserContext(id: string, viewer: ViewerRelations): ChannelUserContext {
  return channelContext(viewer.channels.has(id), viewer.roles.get(id) ?? null)
}

/**
 * All contexts of a user in a channel, without and with following it. Their JSON is cached by identity: see
 * `render.ts`.
 */
const contexts = [false, true].map((following) => ({
  none: { following } as ChannelUserContext,
  member: { following, role: 'member' } as ChannelUserContext,
  moderator: { following, role: 'moderator' } as ChannelUserContext,
  owner: { following, role: 'owner' } as ChannelUserContext,
}))

/** The context of a user in a channel; no role in the result when the user has none. */
export function channelContext(following: boolean, role: string | null): ChannelUserContext {
  const ofRole = contexts[following ? 1 : 0]!
  return role === 'member' || role === 'moderator' || role === 'owner' ? ofRole[role] : ofRole.none
}
