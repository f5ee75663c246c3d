import type { Operation } from '../../operation.js'
import { notifications, notificationsBelowUrls, notificationsInChannels } from './notifications.js'
import { notificationsSeen } from './seen.js'

/** The inbox. */
export const notificationOperations: readonly Operation[] = [
  notifications,
  notificationsInChannels,
  notificationsBelowUrls,
  notificationsSeen,
]
