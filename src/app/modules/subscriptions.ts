import { parseSubscriptionContracts } from '../../features/subscriptions/settings.js'
import { subscriptionHandler } from '../../features/subscriptions/subscription-handler.js'
import type { Module } from '../module.js'

/** Paid subscriptions: a process that syncs follows the configured contracts. */
export const subscriptionsModule: Module = {
  name: 'subscriptions',
  runsIn: ['sync'],
  start(app) {
    const chains = app.service('chains')
    const contracts = parseSubscriptionContracts(app.config.subscriptionContracts)
    for (const rpc of chains?.rpcs.values() ?? []) {
      const handler = subscriptionHandler(rpc, contracts)
      if (handler !== null) chains?.follow(rpc, handler)
    }
    return {}
  },
}
