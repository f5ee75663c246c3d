import type * as Client from '@neynar/nodejs-sdk/build/api/index.js'
import type { TSchema } from '@sinclair/typebox'
import { NotificationsResponse } from '../../src/features/notifications/schema/notification.js'
import { OperationResponse } from '../../src/graph/view/schema/operation-response.js'
import { published } from './conformance.js'

const lists = published<Client.NotificationsResponse>()(NotificationsResponse)

/** The inbox. */
export const inboxReplies: Readonly<Record<string, TSchema>> = {
  notifications: lists,
  'notifications/channel': lists,
  'notifications/parent_url': lists,
  'POST notifications/seen': published<Client.OperationResponse>()(OperationResponse),
}
