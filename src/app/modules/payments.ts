import { paymentChannel } from '../../features/payments/payment-frames.js'
import { paymentHandler } from '../../features/payments/payment-handler.js'
import type { Module } from '../module.js'

/** Requested payments: a process that syncs completes them by the transfers of their chains. */
export const paymentsModule: Module = {
  name: 'payments',
  runsIn: ['sync'],
  start(app) {
    const chains = app.service('chains')
    for (const rpc of chains?.rpcs.values() ?? []) {
      chains?.follow(rpc, paymentHandler(chains.db, rpc, app.clock), (wake) =>
        app.connections.listener.listen(paymentChannel, wake),
      )
    }
    return {}
  },
}
