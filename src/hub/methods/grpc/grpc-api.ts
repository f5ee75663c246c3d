import type { Log } from '../../../platform/log/log.js'
import type { EventTail } from '../../log/tail.js'
import type { MethodContext } from '../hub-method.js'

/** What the hub's gRPC API works with. */
export interface HubGrpcApi extends Pick<MethodContext, 'db' | 'hub' | 'clock' | 'version'> {
  readonly tail: EventTail
  readonly config: HubGrpcConfig
  readonly log: Log
  /** Throws PlazaError `unauthenticated` to refuse a call. Undefined: every call is allowed. */
  readonly authorize?: (call: KeyedCall) => Promise<void>
  readonly metrics?: HubGrpcMetrics
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
  /** Largest request, in bytes. */
  readonly bodyLimit: number
  /** Calls per minute and address; 0 is no limit. */
  readonly rateLimit: number
  /** Whether `x-forwarded-for` names the client: only behind a proxy that sets it. */
  readonly trustProxy?: boolean
  /** Ends the subscription of a client that takes nothing for so long. */
  readonly stallTimeoutMs: number
  /** Most subscribers at once. */
  readonly maxSubscribers?: number
}

/** Gets the numbers for `/metrics`. */
export interface HubGrpcMetrics {
  /** Called when a call ends: the name of the service definition, and the number of its status. */
  readonly called: (method: string, status: number, seconds: number) => void
  /** Called with the number of subscribers, when it changes. */
  readonly subscribed: (subscribers: number) => void
  readonly eventsSent: (events: number) => void
}
