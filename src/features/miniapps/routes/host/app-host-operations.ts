import type { Operation } from '../../../operation.js'
import { appHostGetEvent } from './get-event.js'
import { appHostPostEvent } from './post-event.js'
import { appHostUserNotifications } from './user-notifications.js'
import { appHostUserState } from './user-state.js'

/** For apps that open mini apps of others. */
export const appHostOperations: readonly Operation[] = [
  appHostGetEvent,
  appHostPostEvent,
  appHostUserState,
  appHostUserNotifications,
]
