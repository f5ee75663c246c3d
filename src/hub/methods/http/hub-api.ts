import type { FastifyRequest } from 'fastify'
import type { WorkLimits } from '../../../platform/limits/work-limits.js'
import type { EventTail } from '../../log/tail.js'
import type { NameKey } from '../hub-callers.js'
import type { MethodContext } from '../hub-method.js'
import type { HubReads } from '../hub-reads.js'

/** Dependencies of the hub's HTTP API. */
export interface HubApi extends Pick<MethodContext, 'db' | 'hub' | 'clock' | 'version'> {
  readonly tail: EventTail
  /** Chooses the database of each read; null: `db`. */
  readonly reads?: HubReads | null
  readonly config: HubApiConfig
  /** Bounds heavy requests. */
  readonly workLimits: WorkLimits
  /** Names API keys, for limits of each of them. Undefined: callers are known by their address. */
  readonly nameKey?: NameKey
  /** Credentials of the operator, `user:password`, several between commas. Undefined: `/v1/mesh` is open. */
  readonly operatorAuth?: string | undefined
  /** Throws PlazaError `unauthenticated` to refuse a request. Undefined: every request is allowed. */
  readonly authorize?: (request: FastifyRequest) => Promise<void>
}

/** Limits and times of the HTTP API. */
export interface HubApiConfig {
  readonly shards: number
  /** The FarcasterNetwork of the hub. */
  readonly network: number
  /** Largest request body, in bytes. */
  readonly bodyLimit: number
  /** Requests per minute and address; 0 is no limit. */
  readonly rateLimit: number
  /** Most event streams at once. */
  readonly maxStreams?: number
  /** Most of one API key or address. */
  readonly maxStreamsOfCaller?: number
  /** Time after which a stream whose reader takes nothing ends. */
  readonly stallTimeoutMs?: number
  /** Time between the heartbeats of a stream. */
  readonly heartbeatMs?: number
}
