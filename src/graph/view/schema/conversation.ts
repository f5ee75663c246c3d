import { Type } from '@sinclair/typebox'
import { Cast, CastAndConversations } from './cast.js'
import { NextCursor } from './paging.js'
import { namedObject } from './schema-type.js'

/** A cast with its ancestors and its replies. */
export const Conversation = namedObject('Conversation', {
  conversation: Type.Object({
    cast: CastAndConversations,
    chronological_parent_casts: Type.Optional(Type.Array(Cast)),
  }),
  next: Type.Optional(NextCursor),
})
