import { type Static, Type } from '@sinclair/typebox'
import { ChannelId, ChannelMemberRole, ImageUrl, namedObject } from './primitives.js'

/** The relation of a user to a channel. */
export const ChannelUserContext = namedObject('ChannelUserContext', {
  following: Type.Boolean({ description: 'The user follows the channel.' }),
  role: Type.Optional(ChannelMemberRole),
})
export type ChannelUserContext = Static<typeof ChannelUserContext>

/** The short form of a channel inside other objects. */
export const ChannelDehydrated = namedObject('ChannelDehydrated', {
  id: ChannelId,
  name: Type.String({ examples: ['Gardening'] }),
  object: Type.Literal('channel_dehydrated'),
  image_url: Type.Optional(ImageUrl),
  viewer_context: Type.Optional(ChannelUserContext),
})
export type ChannelDehydrated = Static<typeof ChannelDehydrated>
