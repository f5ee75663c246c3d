import { type Static, Type } from '@sinclair/typebox'
import { User } from './user.js'

/** What a conversation is about, and who takes part in it. */
export const ConversationSummary = Type.Object(
  {
    summary: Type.Object({
      text: Type.String({ examples: ['alice asks for help with her garden; bob recommends compost.'] }),
      mentioned_profiles: Type.Array(User),
      participants: Type.Array(User),
    }),
  },
  { $id: 'ConversationSummary' },
)
export type ConversationSummary = Static<typeof ConversationSummary>
