import { Type } from '@sinclair/typebox'
import { NextCursor } from './paging.js'
import { DateTime, Fid } from './primitives.js'
import { namedObject, textEnum } from './schema-type.js'

/** A token that a client app has granted to notify a user. */
export const NotificationToken = namedObject('NotificationToken', {
  object: Type.Literal('notification_token'),
  fid: Fid,
  client_fid: Type.Integer({
    minimum: 0,
    description:
      'Fid of the client app that granted it; 0 if an address signed the event, which names no app.',
    examples: [9152],
  }),
  url: Type.String({
    description: 'URL of the client that accepts notifications.',
    examples: ['https://client.example.com/notify'],
  }),
  token: Type.String({ examples: ['0199a1b2-5f1c-7d3e-8a4b-6c5d7e8f9a0b'] }),
  status: textEnum(['enabled', 'disabled', 'invalid'], {
    description:
      '`disabled`: the user has disabled notifications. `invalid`: the user has removed the mini app, or the client ' +
      'has rejected the token.',
  }),
  created_at: DateTime,
  updated_at: DateTime,
})

/** A page of tokens of a mini app. */
export const FrameNotificationTokens = namedObject('FrameNotificationTokens', {
  notification_tokens: Type.Array(NotificationToken),
  next: NextCursor,
})
