import type { Metadata } from '@grpc/grpc-js'
import { PlazaError } from '../../../platform/errors.js'
import { createCounter } from '../../../platform/limits/counter.js'
import { limits } from '../../../platform/limits/limits.js'
import type { HubGrpcApi } from './grpc-api.js'

/** The parts of a call that identify its caller. */
interface IncomingCall {
  readonly metadata: Metadata
  /** Address and port. */
  getPeer(): string
}

/** Admits a call, or throws PlazaError: `bad_request.rate_limited`, then `unauthenticated`. */
export type Admit = (call: IncomingCall) => Promise<void>

/** Checks the rate limit before the key, so that it counts wrong keys too. */
export function createAdmission({ config, clock, authorize }: HubGrpcApi): Admit {
  const counter = createCounter<string>(limits.hubCalls, clock, config.rateLimit)
  return async (call) => {
    const status = counter.take(addressOf(call, config.trustProxy ?? false))
    if (status && status.retryAfterSeconds > 0) {
      throw new PlazaError(
        'bad_request.rate_limited',
        `more than ${status.limit} calls a minute; try again in ${status.retryAfterSeconds} seconds`,
      )
    }
    await authorize?.({
      headers: {
        'x-api-key': textOf(call.metadata, 'x-api-key'),
        api_key: textOf(call.metadata, 'api_key'),
        authorization: textOf(call.metadata, 'authorization'),
      },
    })
  }
}

/** Without the port, which differs for each connection. */
function addressOf(call: IncomingCall, trustProxy: boolean): string {
  const forwarded = trustProxy ? textOf(call.metadata, 'x-forwarded-for')?.split(',')[0]?.trim() : undefined
  return forwarded || call.getPeer().replace(/:\d+$/, '')
}

function textOf(metadata: Metadata, name: string): string | undefined {
  const [value] = metadata.get(name)
  return typeof value === 'string' ? value : undefined
}
