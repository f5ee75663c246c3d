import type { Operation } from '../../operation.js'
import { subscriptionCheck } from './subscription-check.js'
import { userSubscribedTo, userSubscribers, userSubscriptionsCreated } from './subscription-lists.js'

/** Operations on paid subscriptions. */
export const subscriptionOperations: readonly Operation[] = [
  subscriptionCheck,
  userSubscribedTo,
  userSubscribers,
  userSubscriptionsCreated,
]
