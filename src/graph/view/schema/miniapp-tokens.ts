import { Type } from '@sinclair/typebox'
import { NextCursor } from './paging.js'
import { DateTime, Fid } from './primitives.js'
import { textEnum } from './schema-type.js'

/** A token that permits notifications to a user through a client app. */
export const NotificationToken = Type.Object(
  {
    object: Type.Literal('notification_token'),
    fid: Fid,
    client_fid: Type.Integer({
      minimum: 0,
      description:
        'The client app that has granted it; 0 where the event was signed by an address, and names none.',
    }),
    url: Type.String({ description: 'Where the client takes notifications.' }),
    token: Type.String(),
    status: textEnum(['enabled', 'disabled', 'invalid'], {
      description:
        '`disabled`: the user has switched notifications off. `invalid`: the user has removed the mini app, or the ' +
        'client has said that the token is not good.',
    }),
    created_at: DateTime,
    updated_at: DateTime,
  },
  { $id: 'NotificationToken' },
)

/** The notification tokens of a mini app. */
export const FrameNotificationTokens = Type.Object(
  { notification_tokens: Type.Array(NotificationToken), next: NextCursor },
  { $id: 'FrameNotificationTokens' },
)
