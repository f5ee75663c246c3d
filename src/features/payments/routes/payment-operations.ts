import type { Operation } from '../../operation.js'
import { createPayFrame, payFrame } from './payment-frames.js'
import { sendFungibles } from './send-fungibles.js'
import { signX402, signX402Siwx } from './x402.js'

/** Operations that pay, or that are paid. */
export const paymentOperations: readonly Operation[] = [
  createPayFrame,
  payFrame,
  sendFungibles,
  signX402,
  signX402Siwx,
]
