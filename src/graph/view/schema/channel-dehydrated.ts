import { type Static, Type } from '@sinclair/typebox'
import { ChannelMemberRole } from './primitives.js'

/** What a user is to a channel. */
export const ChannelUserContext = Type.Object(
  {
    following: Type.Boolean({ description: 'The user follows the channel.' }),
    role: Type.Optional(ChannelMemberRole),
  },
  { $id: 'ChannelUserContext' },
)
export type ChannelUserContext = Static<typeof ChannelUserContext>

/** A channel as it stands inside other things. */
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
