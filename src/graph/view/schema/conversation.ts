import { type Static, Type } from '@sinclair/typebox'
import { Cast, CastAndConversations } from './cast.js'
import { NextCursor } from './paging.js'

/** A cast with its ancestors and its replies. */
export const Conversation = Type.Object(
  {
    conversation: Type.Object({
      cast: CastAndConversations,
      chronological_parent_casts: Type.Optional(Type.Array(Cast)),
    }),
    next: Type.Optional(NextCursor),
  },
  { $id: 'Conversation' },
)
export type Conversation = Static<typeof Conversation>
