import type { Operation } from '../../../operation.js'
import { appHostGetEvent, appHostPostEvent } from './host-events.js'
import { appHostUserNotifications, appHostUserState } from './host-notifications.js'

/** Operations of app hosts. */
export const appHostOperations: readonly Operation[] = [
  appHostGetEvent,
  appHostPostEvent,
  appHostUserState,
  appHostUserNotifications,
]
