import type { Metadata } from '@grpc/grpc-js'
import { limitCalls } from './call-rate.js'
import type { HubGrpcApi } from './grpc-api.js'

/** What every call shows of its caller. */
export interface IncomingCall {
  readonly metadata: Metadata
  /** Address and port. */
  getPeer(): string
}

/** Lets a call pass, or throws PlazaError: `bad_request.rate_limited`, then `unauthenticated`. */
export type Admit = (call: IncomingCall) => Promise<void>

/** The limit stands before the check of keys, so that it counts keys that are tried. */
export function createAdmission({ config, clock, authorize }: HubGrpcApi): Admit {
  const countCall = limitCalls(config.rateLimit, clock)
  return async (call) => {
    countCall(addressOf(call, config.trustProxy ?? false))
    await authorize?.({
      headers: {
        'x-api-key': textOf(call.metadata, 'x-api-key'),
        authorization: textOf(call.metadata, 'authorization'),
      },
    })
  }
}

/** Without the port, which is another one for each connection. */
function addressOf(call: IncomingCall, trustProxy: boolean): string {
  const forwarded = trustProxy ? textOf(call.metadata, 'x-forwarded-for')?.split(',')[0]?.trim() : undefined
  return forwarded || call.getPeer().replace(/:\d+$/, '')
}

function textOf(metadata: Metadata, name: string): string | undefined {
  const [value] = metadata.get(name)
  return typeof value === 'string' ? value : undefined
}
