import type { FastifyRequest } from 'fastify'
import type { Database } from '../../../platform/db/connection.js'
import type { Hub } from '../../hub.js'
import type { EventTail } from '../../log/tail.js'
import type { Parameters } from './parameters.js'

/** What the hub's HTTP API works with. */
export interface HubApi {
  /** For reads. */
  readonly db: Database
  readonly hub: Hub
  readonly tail: EventTail
  readonly config: HubApiConfig
  /** Unix milliseconds. */
  readonly clock: () => number
  /** Of this server, as `/v1/info` shows it. */
  readonly version: string
  /** Throws PlazaError `unauthenticated` when a request may not pass. Without it, everybody may. */
  readonly authorize?: (request: FastifyRequest) => Promise<void>
}

/** The limits that the hub API keeps. */
export interface HubApiConfig {
  readonly shards: number
  /** Largest request body, in bytes. */
  readonly bodyLimit: number
  /** Requests per minute and address; 0 is no limit. */
  readonly rateLimit: number
  /** Most event streams at once. */
  readonly maxStreams?: number
  /** A stream whose reader takes nothing for so long is ended. */
  readonly stallTimeoutMs?: number
  /** How often a stream without news shows that it lives. */
  readonly heartbeatMs?: number
}

/** A read of the hub API: a path, and the JSON that answers it. */
export interface GetOperation {
  readonly path: string
  /** What an error of it is called: the `error` of the body (docs/protocol.md §1.6). */
  readonly failure: string
  /** An object, or the bytes of its JSON. */
  readonly answer: (parameters: Parameters, api: HubApi) => Promise<object | Buffer>
}
