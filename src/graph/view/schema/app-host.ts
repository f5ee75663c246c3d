import { Type } from '@sinclair/typebox'
import { NextCursor } from './paging.js'
import { DateTime } from './primitives.js'

/** An event to be signed. */
export const AppHostGetEventResponse = Type.Object(
  {
    event: Type.String(),
    notificationDetails: Type.Optional(
      Type.Object(
        {
          url: Type.String({ description: 'Where the mini app sends notifications.' }),
          token: Type.String({ description: 'A new one: it is good for nothing until the event was sent.' }),
        },
        { description: 'Only of `notifications_enabled`.' },
      ),
    ),
  },
  { $id: 'AppHostGetEventResponse' },
)

/** The result of an event. */
export const AppHostPostEventResponse = Type.Object(
  { message: Type.Optional(Type.String()), success: Type.Boolean() },
  { $id: 'AppHostPostEventResponse' },
)

/** The mini apps that may notify a user. */
export const AppHostUserStateResponse = Type.Object(
  {
    notifications_enabled: Type.Array(
      Type.Object({
        domain: Type.String({ description: 'Of the mini app.' }),
        status: Type.String({ description: '`valid`: the mini app has a token that is good.' }),
        updated_at: DateTime,
      }),
    ),
  },
  { $id: 'AppHostUserStateResponse' },
)

/** The notifications of mini apps to a user. */
export const AppHostNotificationsResponse = Type.Object(
  {
    notifications: Type.Array(
      Type.Object({
        object: Type.Literal('mini_app_notification'),
        domain: Type.String({ description: 'Of the mini app.' }),
        notification_id: Type.String({ description: 'The mini app’s own.' }),
        title: Type.String(),
        body: Type.String(),
        target_url: Type.String({ description: 'What it opens: an address of the mini app.' }),
        created_at: DateTime,
      }),
    ),
    next: NextCursor,
  },
  { $id: 'AppHostNotificationsResponse' },
)
