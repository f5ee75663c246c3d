import { Metadata, type StatusObject } from '@grpc/grpc-js'
import { outageOf } from '../../../platform/db/connection-errors.js'
import { describeError, PlazaError } from '../../../platform/errors.js'
import { knownError } from '../../../platform/http/failure.js'
import type { CallerName } from '../../../platform/limits/caller-name.js'
import type { WorkLimits } from '../../../platform/limits/work-limits.js'
import type { Log } from '../../../platform/log/log.js'
import type { Tracing } from '../../../platform/tracing/tracing.js'
import { LogResetError } from '../../log/log-reset.js'
import type { EventTail } from '../../log/tail.js'
import type { NameKey } from '../hub-callers.js'
import type { MethodContext } from '../hub-method.js'
import type { HubReads } from '../hub-reads.js'
import type { createGrpcMetrics } from './grpc-metrics.js'

/** Dependencies of the hub's gRPC API. */
export interface HubGrpcApi extends Pick<MethodContext, 'db' | 'hub' | 'clock' | 'version'> {
  readonly tail: EventTail
  /** Chooses the database of each read; null: `db`. */
  readonly reads?: HubReads | null
  readonly config: HubGrpcConfig
  /** Bounds heavy calls. */
  readonly workLimits: WorkLimits
  /** Names API keys, for limits of each of them. Undefined: callers are known by their address. */
  readonly nameKey?: NameKey
  readonly log: Log
  /** Makes spans of calls. */
  readonly tracing?: Tracing
  /** Throws PlazaError `unauthenticated` to refuse a call. Undefined: every call is allowed. */
  readonly authorize?: (call: KeyedCall) => Promise<void>
  /** Credentials of the operator, `user:password`, several between commas. Undefined: its methods are open. */
  readonly operatorAuth?: string | undefined
  readonly metrics?: ReturnType<typeof createGrpcMetrics>
}

/** The API key of a call, in metadata with the names that the headers of HTTP have. */
export interface KeyedCall {
  readonly headers: {
    readonly 'x-api-key': string | undefined
    readonly api_key: string | undefined
    readonly authorization: string | undefined
  }
}

/** Limits and times of the gRPC API. */
export interface HubGrpcConfig {
  readonly shards: number
  /** The FarcasterNetwork of the hub. */
  readonly network: number
  /** Largest request, in bytes. */
  readonly bodyLimit: number
  /** Calls per minute and address; 0 is no limit. */
  readonly rateLimit: number
  /** Whether `x-forwarded-for` names the client: only behind a proxy that sets it. */
  readonly trustProxy?: boolean
  /** Milliseconds within which every call but `Subscribe` is answered; 0 or undefined is no limit. */
  readonly requestTimeoutMs?: number
  /** Time after which the subscription of a client that takes nothing ends. */
  readonly stallTimeoutMs: number
  /** Most subscribers at once. */
  readonly maxSubscribers?: number
  /** Most of one API key or address. */
  readonly maxSubscribersOfCaller?: number
}

/** The parts of a call that identify its caller. */
export interface IncomingCall {
  readonly metadata: Metadata
  /** Address and port. */
  getPeer(): string
}

/** Admits a call and names its caller, or throws PlazaError: `bad_request.rate_limited`, then `unauthenticated`. */
export type Admit = (call: IncomingCall) => Promise<CallOrigin>

/** Where a call comes from. */
export interface CallOrigin {
  readonly address: string
  /** For limits of each key or address. */
  readonly nameCaller: () => Promise<CallerName>
}

/**
 * Maps a failure to a gRPC status. Its text is `<code>/<message>`, and the metadata `x-err-code` has the
 * code, both as in the reference node (docs/protocol.md §1.6). The log gets the cause of an internal error,
 * the client does not.
 */
export function statusOf(cause: unknown, method: string, log: Log): StatusObject {
  const error =
    knownError(cause) ?? new PlazaError('internal', 'internal error; the log of the server has it', { cause })
  if (error.code === 'internal') log.error({ err: cause, method }, 'hub call failed')
  else if (error.code === 'unavailable' && error.cause)
    log.warn(
      { err: error.cause, method, outage: outageOf(error.cause) },
      'hub call failed: service unavailable',
    )
  const metadata = new Metadata()
  metadata.set('x-err-code', error.code)
  if (error instanceof LogResetError) metadata.set('x-next-event-id', String(error.reset.nextId))
  return {
    code: describeError(error.code).grpcCode,
    details: `${error.code}/${error.message}`,
    metadata,
  }
}
