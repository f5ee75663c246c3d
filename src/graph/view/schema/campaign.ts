import { type Static, Type } from '@sinclair/typebox'
import { NextCursor } from './paging.js'
import { Count, DateTime, Fid, Uuid } from './primitives.js'
import { deprecated, namedObject, nullable, textEnum } from './schema-type.js'

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
const opens = 'Always 0: clients do not report it.'
const opensByApp = 'Always empty: clients do not report it.'
const none = Type.Integer({ format: 'int32', description: opens, examples: [0] })

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
  total_opens: none,
  total_opens_by_app_fid: countsByName(opensByApp, {}),
  unique_opens: none,
  unique_opens_by_app_fid: countsByName(opensByApp, {}),
})

/** A notification to an audience, and its results. */
export const NotificationCampaign = namedObject('NotificationCampaign', {
  id: Uuid,
  title: Type.String({ examples: ['Harvest time'] }),
  body: Type.String({ examples: ['Your tomatoes are ripe.'] }),
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
