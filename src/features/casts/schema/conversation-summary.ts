import { type Static, Type } from '@sinclair/typebox'
import { User } from '../../../graph/view/schema/user.js'

/** Subject and participants of a conversation. */
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
