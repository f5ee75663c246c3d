import type { Operation } from '../../operation.js'
import { campaignCancel, campaignList, notificationPreview, sendNotifications } from './campaigns.js'
import { notificationTokens } from './notification-tokens.js'

/** Mini apps: who may be notified, and notifications. */
export const frameOperations: readonly Operation[] = [
  notificationTokens,
  sendNotifications,
  campaignList,
  campaignCancel,
  notificationPreview,
]
