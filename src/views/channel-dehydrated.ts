import type { ChannelName } from '../hydrate/cast-record.js'
import type { ViewerRelations } from '../hydrate/viewer.js'
import type { ChannelDehydrated, ChannelUserContext } from './schema/channel-dehydrated.js'

/** The short form of a channel. */
export function channelDehydrated(channel: ChannelName, viewer?: ViewerRelations): ChannelDehydrated {
  return {
    object: 'channel_dehydrated',
    id: channel.id,
    name: channel.name,
    ...(channel.imageUrl ? { image_url: channel.imageUrl } : {}),
    ...(viewer ? { viewer_context: channelUserContext(channel.id, viewer) } : {}),
  }
}

/** What the viewer is in a channel. */
export function channelUserContext(id: string, viewer: ViewerRelations): ChannelUserContext {
  return channelContext(viewer.channels.has(id), viewer.roles.get(id) ?? null)
}

/** What a user is in a channel; whoever has no role in it gets none. */
export function channelContext(following: boolean, role: string | null): ChannelUserContext {
  return {
    following,
    ...(role === 'member' || role === 'moderator' || role === 'owner' ? { role } : {}),
  }
}
