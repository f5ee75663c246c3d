import type * as Client from '@neynar/nodejs-sdk/build/api/index.js'
import type { TSchema } from '@sinclair/typebox'
import {
  AppHostGetEventResponse,
  AppHostNotificationsResponse,
  AppHostPostEventResponse,
  AppHostUserStateResponse,
} from '../../src/graph/view/schema/app-host.js'
import {
  NotificationCampaignsResponse,
  NotificationPreviewResponse,
  SendFrameNotificationsResponse,
} from '../../src/graph/view/schema/campaign.js'
import { FrameNotificationTokens } from '../../src/graph/view/schema/miniapp-tokens.js'
import { OperationResponse } from '../../src/graph/view/schema/operation-response.js'
import { published } from './conformance.js'

/** Mini apps, and those who open them. */
export const miniAppReplies: Readonly<Record<string, TSchema>> = {
  'frame/notification_tokens': published<Client.FrameNotificationTokens>()(FrameNotificationTokens),
  'frame/notifications': published<Client.GetNotificationCampaignStats200Response>()(
    NotificationCampaignsResponse,
  ),
  'POST frame/notifications': published<Client.SendFrameNotificationsResponse>()(
    SendFrameNotificationsResponse,
  ),
  'app_host/user/event': published<Client.AppHostGetEventResponse>()(AppHostGetEventResponse),
  'POST app_host/user/event': published<Client.AppHostPostEventResponse>()(AppHostPostEventResponse),
  'app_host/user/state': published<Client.AppHostUserStateResponse>()(AppHostUserStateResponse),
  // Ours: the client does not know them.
  'POST frame/notifications/preview': NotificationPreviewResponse,
  'DELETE frame/notifications': OperationResponse,
  'app_host/user/notifications': AppHostNotificationsResponse,
}
