import type { Operation } from '../../operation.js'
import { campaignCancel } from './cancel-campaign.js'
import { campaignList } from './list-campaigns.js'
import { notificationTokens } from './notification-tokens.js'
import { notificationPreview } from './preview-notifications.js'
import { sendNotifications } from './send-notifications.js'

/** Mini apps: who may be notified, and notifications. */
export const frameOperations: readonly Operation[] = [
  notificationTokens,
  sendNotifications,
  campaignList,
  campaignCancel,
  notificationPreview,
]
