import { Type } from '@sinclair/typebox'
import { NextCursor } from './paging.js'
import { DateTime, Url } from './primitives.js'
import { namedObject } from './schema-type.js'

const domain = Type.String({ description: 'Domain of the mini app.', examples: ['garden.example.com'] })

/** An event to sign. */
export const AppHostGetEventResponse = namedObject('AppHostGetEventResponse', {
  event: Type.String({ examples: ['notifications_enabled'] }),
  notificationDetails: Type.Optional(
    Type.Object(
      {
        url: Type.String({
          description: 'URL that the mini app sends notifications to.',
          examples: ['https://plaza.example.com/f/host/notifications'],
        }),
        token: Type.String({
          description: 'New token. It becomes valid when the event is sent.',
          examples: ['nt_5wQm2p8Zr1'],
        }),
      },
      { description: 'Only for `notifications_enabled`.' },
    ),
  ),
})

/** The result of sending an event. */
export const AppHostPostEventResponse = namedObject('AppHostPostEventResponse', {
  message: Type.Optional(
    Type.String({ examples: ['the mini app at garden.example.com has accepted the event'] }),
  ),
  success: Type.Boolean(),
})

/** Mini apps that may notify a user. */
export const AppHostUserStateResponse = namedObject('AppHostUserStateResponse', {
  notifications_enabled: Type.Array(
    Type.Object({
      domain,
      status: Type.String({
        description: '`valid`: the mini app has a valid token.',
        examples: ['valid'],
      }),
      updated_at: DateTime,
    }),
  ),
})

/** Notifications that mini apps have sent to a user. */
export const AppHostNotificationsResponse = namedObject('AppHostNotificationsResponse', {
  notifications: Type.Array(
    Type.Object({
      object: Type.Literal('mini_app_notification'),
      domain,
      notification_id: Type.String({
        description: 'Id that the mini app has chosen.',
        examples: ['harvest-2026-05-01'],
      }),
      title: Type.String({ examples: ['Harvest time'] }),
      body: Type.String({ examples: ['Your tomatoes are ripe.'] }),
      target_url: { ...Url, description: 'URL of the mini app to open.' },
      created_at: DateTime,
    }),
  ),
  next: NextCursor,
})
