import type { HubServiceService } from '@farcaster/hub-nodejs'
import type { Database } from '../../../platform/db/connection.js'
import type { Log } from '../../../platform/log/log.js'
import type { Hub } from '../../hub.js'
import type { EventTail } from '../../log/tail.js'

/** What the hub's gRPC API works with. */
export interface HubGrpcApi {
  /** For reads. */
  readonly db: Database
  readonly hub: Hub
  readonly tail: EventTail
  readonly config: HubGrpcConfig
  /** Unix milliseconds. */
  readonly clock: () => number
  /** Of this server, as GetInfo shows it. */
  readonly version: string
  readonly log: Log
  /** Throws PlazaError `unauthenticated` when a call may not pass. Without it, everybody may. */
  readonly authorize?: (call: KeyedCall) => Promise<void>
  readonly metrics?: HubGrpcMetrics
}

/** What a call brings to show whose it is: metadata of the names and forms that the headers of HTTP have. */
export interface KeyedCall {
  readonly headers: {
    readonly 'x-api-key': string | undefined
    readonly authorization: string | undefined
  }
}

/** The limits that the gRPC API keeps. */
export interface HubGrpcConfig {
  readonly shards: number
  /** Largest request, in bytes. */
  readonly bodyLimit: number
  /** Calls per minute and address; 0 is no limit. */
  readonly rateLimit: number
  /** Whether a client's address is taken from `x-forwarded-for`: only behind a proxy that sets it. */
  readonly trustProxy?: boolean
  /** A subscriber that takes nothing for so long is let go. */
  readonly stallTimeoutMs: number
  /** Most subscribers at once. */
  readonly maxSubscribers?: number
}

/** What is counted. */
export interface HubGrpcMetrics {
  /** A call has ended with a status, by the name of the service definition and its number. */
  readonly called: (method: string, status: number, seconds: number) => void
  /** How many subscribers there are now. */
  readonly subscribed: (subscribers: number) => void
  readonly eventsSent: (events: number) => void
}

/** The name of a method of the service. */
export type MethodName = keyof typeof HubServiceService

/** What a method is asked, decoded. */
export type RequestOf<Name extends MethodName> = ReturnType<
  (typeof HubServiceService)[Name]['requestDeserialize']
>

/** A method that answers once: with the encoded reply. Refusals are thrown as PlazaError. */
export interface UnaryMethod {
  readonly name: MethodName
  readonly answer: (request: Buffer, api: HubGrpcApi) => Promise<Uint8Array>
}
