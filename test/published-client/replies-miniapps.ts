import type * as Client from '@neynar/nodejs-sdk/build/api/index.js'
import type { TSchema } from '@sinclair/typebox'
import {
  AppHostGetEventResponse,
  AppHostNotificationsResponse,
  AppHostPostEventResponse,
  AppHostUserStateResponse,
} from '../../src/views/schema/app-host.js'
import { FrameNotificationTokens } from '../../src/views/schema/miniapp-tokens.js'
import { published } from './conformance.js'

/** Mini apps, and those who open them. */
export const miniAppReplies: Readonly<Record<string, TSchema>> = {
  'frame/notification_tokens': published<Client.FrameNotificationTokens>()(FrameNotificationTokens),
  'app_host/user/event': published<Client.AppHostGetEventResponse>()(AppHostGetEventResponse),
  'POST app_host/user/event': published<Client.AppHostPostEventResponse>()(AppHostPostEventResponse),
  'app_host/user/state': published<Client.AppHostUserStateResponse>()(AppHostUserStateResponse),
  // Ours: the client does not know it.
  'app_host/user/notifications': AppHostNotificationsResponse,
}
