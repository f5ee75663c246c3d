import type { Operation } from '../../operation.js'
import { campaignCancel, campaignList, notificationPreview, sendNotifications } from './campaigns.js'
import { notificationTokens } from './notification-tokens.js'

/** Operations of mini apps. */
export const frameOperations: readonly Operation[] = [
  notificationTokens,
  sendNotifications,
  campaignList,
  campaignCancel,
  notificationPreview,
]
