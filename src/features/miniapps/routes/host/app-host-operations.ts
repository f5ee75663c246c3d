import type { Operation } from '../../../operation.js'
import { appHostGetEvent, appHostPostEvent } from './host-events.js'
import { appHostUserNotifications, appHostUserState } from './host-notifications.js'

/** For apps that open mini apps of others. */
export const appHostOperations: readonly Operation[] = [
  appHostGetEvent,
  appHostPostEvent,
  appHostUserState,
  appHostUserNotifications,
]
