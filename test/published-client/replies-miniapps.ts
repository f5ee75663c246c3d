import type * as Client from '@neynar/nodejs-sdk/build/api/index.js'
import type { TSchema } from '@sinclair/typebox'
import { FrameCrawlResponse } from '../../src/features/frames/routes/action.js'
import { DeletedFrame, HostedFrame, HostedFrames } from '../../src/features/frames/schema/hosted-frame.js'
import {
  FrameValidateAnalyticsResponse,
  FrameValidateListResponse,
  ValidateFrameActionResponse,
} from '../../src/features/frames/schema/validated-frame.js'
import {
  FrameCatalogResponse,
  RelevantFramesResponse,
} from '../../src/features/miniapps/schema/frame-catalog.js'
import {
  AppHostGetEventResponse,
  AppHostNotificationsResponse,
  AppHostPostEventResponse,
  AppHostUserStateResponse,
  FrameNotificationTokens,
  NotificationCampaignsResponse,
  NotificationMapResponse,
  NotificationPreviewResponse,
  NotificationTokenCounts,
  SendFrameNotificationsResponse,
} from '../../src/features/miniapps/schema/miniapp.js'
import { FeedResponse } from '../../src/graph/view/schema/cast.js'
import { OperationResponse } from '../../src/graph/view/schema/operation-response.js'
import { Frame } from '../../src/graph/view/schema/url-metadata.js'
import { published } from './conformance.js'

/** Mini apps, and those who open them. */
export const miniAppReplies: Readonly<Record<string, TSchema>> = {
  'frame/catalog': published<Client.FrameCatalogResponse>()(FrameCatalogResponse),
  'frame/search': published<Client.FrameCatalogResponse>()(FrameCatalogResponse),
  'frame/relevant': published<Client.FetchRelevantFrames200Response>()(RelevantFramesResponse),
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
  // Older clients know them.
  'POST frame/validate': ValidateFrameActionResponse,
  'frame/validate/list': FrameValidateListResponse,
  'frame/validate/analytics': FrameValidateAnalyticsResponse,
  'POST frame/action': published<Client.Frame>()(Frame),
  'POST frame/developer_managed/action': published<Client.Frame>()(Frame),
  'frame/crawl': FrameCrawlResponse,
  'feed/frames': published<Client.FeedResponse>()(FeedResponse),
  frame: HostedFrame,
  'POST frame': HostedFrame,
  'PUT frame': HostedFrame,
  'DELETE frame': DeletedFrame,
  'frame/list': HostedFrames,
  // Ours: the client does not know them.
  'POST frame/notifications/preview': NotificationPreviewResponse,
  'POST frame/notifications/map': NotificationMapResponse,
  'POST frame/notifications/open': OperationResponse,
  'frame/notification_tokens/count': NotificationTokenCounts,
  'DELETE frame/notifications': OperationResponse,
  'app_host/user/notifications': AppHostNotificationsResponse,
}
