import { type Static, Type } from '@sinclair/typebox'
import { ChannelMemberRole } from './primitives.js'

/** The relation of a user to a channel. */
export const ChannelUserContext = Type.Object(
  {
    following: Type.Boolean({ description: 'The user follows the channel.' }),
    role: Type.Optional(ChannelMemberRole),
  },
  { $id: 'ChannelUserContext' },
)
export type ChannelUserContext = Static<typeof ChannelUserContext>

/** The dehydrated form of a channel. */
export const ChannelDehydrated = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    object: Type.Literal('channel_dehydrated'),
    image_url: Type.Optional(Type.String()),
    viewer_context: Type.Optional(ChannelUserContext),
  },
  { $id: 'ChannelDehydrated' },
)
export type ChannelDehydrated = Static<typeof ChannelDehydrated>
