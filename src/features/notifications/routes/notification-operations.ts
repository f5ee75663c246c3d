import type { Operation } from '../../operation.js'
import { notifications, notificationsBelowUrls, notificationsInChannels } from './notifications.js'
import { notificationsSeen } from './seen.js'

/** Operations on the inbox. */
export const notificationOperations: readonly Operation[] = [
  notifications,
  notificationsInChannels,
  notificationsBelowUrls,
  notificationsSeen,
]
