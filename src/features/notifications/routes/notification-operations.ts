import type { Operation } from '../../operation.js'
import { notificationsInChannels } from './channel.js'
import { notifications } from './notifications.js'
import { notificationsBelowUrls } from './parent-url.js'
import { notificationsSeen } from './seen.js'

/** The inbox. */
export const notificationOperations: readonly Operation[] = [
  notifications,
  notificationsInChannels,
  notificationsBelowUrls,
  notificationsSeen,
]
