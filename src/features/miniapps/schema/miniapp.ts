import { type Static, Type } from '@sinclair/typebox'
import {
  Count,
  DateTime,
  deprecated,
  Fid,
  NextCursor,
  namedObject,
  nullable,
  textEnum,
  Url,
  Uuid,
} from '../../../graph/view/schema/primitives.js'

/** The state of a campaign. */
export const NotificationCampaignStatus = textEnum(['queued', 'running', 'completed', 'failed', 'canceled'], {
  $id: 'NotificationCampaignStatus',
  description:
    'queued: the audience is not selected yet. running: sending. completed: each token has been tried once. failed: ' +
    'the audience could not be selected. canceled: the rest is not sent.',
  examples: ['completed'],
})

const countsByName = (description: string, example: Record<string, number>) =>
  Type.Record(Type.String(), Type.Integer(), { description, examples: [example] })
const opens = 'Opens that mini apps report with `frame/notifications/open`; of one user, the first 100 count.'
const uniqueOpens = 'Users who opened the notification.'
const openCount = (description: string) => Type.Integer({ format: 'int32', description, examples: [0] })

/** The current counts of a campaign. */
export const NotificationCampaignStats = namedObject('NotificationCampaignStats', {
  intended_recipient_app_fids: Type.Array(Fid, {
    description: 'Client apps of the audience.',
    examples: [[9152]],
  }),
  intended_recipient_notification_token_count: Count,
  successful_sends: Count,
  successful_sends_by_app_fid: countsByName('By fid of the client app; 0 for an unnamed client.', {
    9152: 10,
  }),
  failure_count: Count,
  not_attempted_count: Count,
  pending_count: Type.Integer({
    format: 'int32',
    minimum: 0,
    description: 'Waiting or in progress. With the three counts above, it adds up to the audience.',
    examples: [0],
  }),
  error_breakdown: Type.Object({
    delivery_errors: countsByName('Failures by kind: invalid_token, rate_limited, failed, http_error.', {
      invalid_token: 1,
    }),
    http_errors: countsByName('Kind http_error by HTTP status, if there was a reply.', {}),
    not_attempted: countsByName('By reason: disabled, invalid, repeated, canceled.', { disabled: 1 }),
  }),
  total_opens: openCount(opens),
  total_opens_by_app_fid: countsByName('By client app.', {}),
  unique_opens: openCount(uniqueOpens),
  unique_opens_by_app_fid: countsByName('By the client app of the first open.', {}),
})

/** A notification to an audience, and its results. */
export const NotificationCampaign = namedObject('NotificationCampaign', {
  id: Uuid,
  title: Type.String({ examples: ['Harvest time'] }),
  body: Type.String({ examples: ['Your tomatoes are ripe.'] }),
  target_url: Type.String({
    description: 'URL that clients open, with its parameters.',
    examples: ['https://garden.example.com/harvest'],
  }),
  status: NotificationCampaignStatus,
  created_at: DateTime,
  queued_at: DateTime,
  completed_at: nullable(DateTime),
  stats: NotificationCampaignStats,
})
export type NotificationCampaign = Static<typeof NotificationCampaign>

/** A page of campaigns. */
export const NotificationCampaignsResponse = namedObject('NotificationCampaignsResponse', {
  notificationCampaigns: Type.Array(NotificationCampaign),
  next: NextCursor,
})

const NotificationDelivery = Type.Object({
  object: Type.Literal('notification_delivery'),
  fid: Fid,
  status: textEnum(['success', 'failed', 'token_disabled', 'token_not_found']),
  app_fid: Type.Optional(Fid),
})

/** The result of a notification that was sent within the request. */
export const SendFrameNotificationsResponse = namedObject('SendFrameNotificationsResponse', {
  campaign_id: Uuid,
  success_count: Count,
  failure_count: Count,
  not_attempted_count: Type.Integer({
    format: 'int32',
    minimum: 0,
    description: 'Disabled or invalid tokens, users who were reached with the same uuid, and canceled sends.',
    examples: [1],
  }),
  retryable_fids: Type.Array(Fid, {
    description:
      'Users for whom a client failed temporarily. Send the notification again with the same uuid.',
    examples: [[]],
  }),
  notification_deliveries: deprecated(
    Type.Array(NotificationDelivery),
    'By fid, at most 1,000, for clients of before 2026. Use the counts.',
  ),
})

/** A notification that is sent later. */
export const QueuedFrameNotificationsResponse = namedObject('QueuedFrameNotificationsResponse', {
  campaign_id: Uuid,
  status: NotificationCampaignStatus,
})

/** The audience that a notification would have. */
export const NotificationPreviewResponse = namedObject('NotificationPreviewResponse', {
  tokens: Type.Integer({ format: 'int32', description: 'Tokens that would be tried.', examples: [12] }),
  users: Type.Integer({ format: 'int32', description: 'Users of these tokens.', examples: [11] }),
  delivery: textEnum(['synchronous', 'queued'], { description: 'Way of sending.' }),
  clients: Type.Array(
    Type.Object({ app_fid: Fid, tokens: Count }, { description: 'Client app; 0 for an unnamed client.' }),
  ),
  left_out: Type.Array(
    Type.Object({
      reason: Type.String({
        description:
          'First reason that applies: no_token (a target without a token), disabled, invalid, excluded, ' +
          'not_following, low_score, not_near, repeated, rate_limited.',
        examples: ['disabled'],
      }),
      tokens: Type.Integer({
        format: 'int32',
        description: 'Number of tokens; of users for no_token.',
        examples: [2],
      }),
    }),
  ),
})

/** Where the users of an audience are. */
export const NotificationMapResponse = namedObject('NotificationMapResponse', {
  users: Type.Integer({ description: 'Users that were counted.', examples: [120] }),
  complete: Type.Boolean({
    description: 'False for an audience of more than 100,000 users: the others are not counted.',
  }),
  located_users: Type.Integer({ description: 'Users whose profile has a location.', examples: [80] }),
  cell_degrees: Type.Integer({
    description: 'Size of a cell in degrees of latitude and longitude.',
    examples: [2],
  }),
  cells: Type.Array(
    Type.Object({
      object: Type.Literal('map_cell'),
      latitude: Type.Number({ description: 'Of the center.', examples: [53] }),
      longitude: Type.Number({ description: 'Of the center.', examples: [13] }),
      users: Count,
    }),
    { description: 'The cells with the most users first, at most 1,000.' },
  ),
})

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

const StateCount = (state: string) =>
  Type.Integer({ description: `Tokens with the status \`${state}\`.`, examples: [10] })

/** The tokens that a client app has granted. */
export const NotificationTokenCount = Type.Object({
  object: Type.Literal('notification_token_count'),
  client_fid: NotificationToken.properties.client_fid,
  host: Type.String({
    description: 'Host of the URL that accepts notifications; one of them if there are several.',
    examples: ['client.example.com'],
  }),
  enabled: StateCount('enabled'),
  disabled: StateCount('disabled'),
  invalid: StateCount('invalid'),
  last_event_at: DateTime,
})

/** The tokens of a mini app by client app. */
export const NotificationTokenCounts = namedObject('NotificationTokenCounts', {
  clients: Type.Array(NotificationTokenCount, { description: 'At most 1,000.' }),
})

/** A page of tokens of a mini app. */
export const FrameNotificationTokens = namedObject('FrameNotificationTokens', {
  notification_tokens: Type.Array(NotificationToken),
  next: NextCursor,
})

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
