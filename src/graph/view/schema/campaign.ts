import { type Static, Type } from '@sinclair/typebox'
import { NextCursor } from './paging.js'
import { Count, DateTime, Fid } from './primitives.js'
import { nullable, textEnum } from './schema-type.js'

/** The status of a campaign. */
export const NotificationCampaignStatus = textEnum(['queued', 'running', 'completed', 'failed', 'canceled'], {
  $id: 'NotificationCampaignStatus',
  description:
    'queued: its audience is not selected yet; running; completed: every token has been tried once; failed: its ' +
    'audience could not be selected; canceled: what was not sent by then is not sent.',
})
export type NotificationCampaignStatus = Static<typeof NotificationCampaignStatus>

const countsByName = (description: string) => Type.Record(Type.String(), Type.Integer(), { description })
const opens = 'Clients tell nobody of it: always 0.'
const opensByApp = 'Clients tell nobody of it: always empty.'

/** The current results of a campaign. */
export const NotificationCampaignStats = Type.Object(
  {
    intended_recipient_app_fids: Type.Array(Fid, { description: 'The client apps of its audience.' }),
    intended_recipient_notification_token_count: Count,
    successful_sends: Count,
    successful_sends_by_app_fid: countsByName(
      'By the fid of the client app; 0 is a client that is not named.',
    ),
    failure_count: Count,
    not_attempted_count: Count,
    pending_count: Type.Integer({
      format: 'int32',
      minimum: 0,
      description: 'Waiting or under way. With the three counts above it makes up the whole audience.',
    }),
    error_breakdown: Type.Object({
      delivery_errors: countsByName('The failures by kind: invalid_token, rate_limited, failed, http_error.'),
      http_errors: countsByName('The http_error among them by HTTP status, where there was an answer.'),
      not_attempted: countsByName('Why: disabled, invalid, repeated, canceled.'),
    }),
    total_opens: Type.Integer({ format: 'int32', description: opens }),
    total_opens_by_app_fid: countsByName(opensByApp),
    unique_opens: Type.Integer({ format: 'int32', description: opens }),
    unique_opens_by_app_fid: countsByName(opensByApp),
  },
  { $id: 'NotificationCampaignStats' },
)

/** A notification to an audience, with its results. */
export const NotificationCampaign = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    title: Type.String(),
    body: Type.String(),
    status: NotificationCampaignStatus,
    created_at: DateTime,
    queued_at: DateTime,
    completed_at: nullable(DateTime),
    stats: NotificationCampaignStats,
  },
  { $id: 'NotificationCampaign' },
)
export type NotificationCampaign = Static<typeof NotificationCampaign>

/** A page of campaigns. */
export const NotificationCampaignsResponse = Type.Object(
  { notificationCampaigns: Type.Array(NotificationCampaign), next: NextCursor },
  { $id: 'NotificationCampaignsResponse' },
)

/** The result of a notification that was sent within the request. */
export const SendFrameNotificationsResponse = Type.Object(
  {
    campaign_id: Type.String({ format: 'uuid' }),
    success_count: Count,
    failure_count: Count,
    not_attempted_count: Type.Integer({
      format: 'int32',
      minimum: 0,
      description:
        'Disabled or invalid tokens, users who were reached under the same uuid, what was canceled.',
    }),
    retryable_fids: Type.Array(Fid, {
      description:
        'Whom some client did not take it for, and may another time: send it again with the same uuid.',
    }),
  },
  { $id: 'SendFrameNotificationsResponse' },
)

/** A notification that is sent after the request. */
export const QueuedFrameNotificationsResponse = Type.Object(
  { campaign_id: Type.String({ format: 'uuid' }), status: NotificationCampaignStatus },
  { $id: 'QueuedFrameNotificationsResponse' },
)

/** The audience of a notification that is not sent. */
export const NotificationPreviewResponse = Type.Object(
  {
    tokens: Type.Integer({ format: 'int32', description: 'How many would be tried.' }),
    users: Type.Integer({ format: 'int32', description: 'Whose they are.' }),
    delivery: textEnum(['synchronous', 'queued'], { description: 'How it would be sent.' }),
    clients: Type.Array(
      Type.Object(
        { app_fid: Fid, tokens: Count },
        { description: 'A client app; 0 is one that is not named.' },
      ),
    ),
    left_out: Type.Array(
      Type.Object({
        reason: Type.String({
          description:
            'The first that holds: no_token (a user who is named and has none), disabled, invalid, excluded, ' +
            'not_following, low_score, not_near, repeated, rate_limited.',
        }),
        tokens: Type.Integer({ format: 'int32', description: 'Users, where the reason is no_token.' }),
      }),
    ),
  },
  { $id: 'NotificationPreviewResponse' },
)
