import type { ChannelName } from '../load/cast-record.js'
import type { ViewerRelations } from '../load/viewer.js'
import type { ChannelDehydrated, ChannelUserContext } from './schema/channel-dehydrated.js'

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
 * `json.ts`.
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
