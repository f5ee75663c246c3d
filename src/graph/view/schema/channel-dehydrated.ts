import { type Static, Type } from '@sinclair/typebox'
import { ChannelId, ChannelMemberRole, ImageUrl } from './primitives.js'

/** The relation of a user to a channel. */
export const ChannelUserContext = Type.Object(
  {
    following: Type.Boolean({ description: 'The user follows the channel.' }),
    role: Type.Optional(ChannelMemberRole),
  },
  { $id: 'ChannelUserContext' },
)
export type ChannelUserContext = Static<typeof ChannelUserContext>

/** The short form of a channel inside other objects. */
export const ChannelDehydrated = Type.Object(
  {
    id: ChannelId,
    name: Type.String({ examples: ['Gardening'] }),
    object: Type.Literal('channel_dehydrated'),
    image_url: Type.Optional(ImageUrl),
    viewer_context: Type.Optional(ChannelUserContext),
  },
  { $id: 'ChannelDehydrated' },
)
export type ChannelDehydrated = Static<typeof ChannelDehydrated>
