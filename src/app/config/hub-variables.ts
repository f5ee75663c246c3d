import { availableParallelism } from 'node:os'
import { Type } from '@sinclair/typebox'
import { flag, integer, oneOf, text } from './variable.js'

/** Variables of the hub and its event log. */
export const hubVariables = {
  HUB_PORT: Type.Optional(
    integer(
      'Second port that serves only the hub API (`/v1`), for clients that expect no other paths there.',
      { minimum: 0, maximum: 65_535 },
    ),
  ),
  HUB_GRPC_PORT: Type.Optional(
    integer(
      "Port of the hub's gRPC service (`HubService`). Nodes of the network use 3383. Unset: gRPC is off.",
      { minimum: 0, maximum: 65_535 },
    ),
  ),
  HUB_NETWORK: oneOf(['mainnet', 'testnet', 'devnet'], {
    default: 'devnet',
    description:
      'Network of the protocol. Mainnet takes messages of mainnet only. `devnet` includes a ' +
      'local registry of fids, keys and names.',
  }),
  HUB_SHARDS: integer('Number of shards. It is fixed when the database is created.', {
    minimum: 1,
    maximum: 64,
    default: 1,
  }),
  HUB_REQUIRE_API_KEY: flag('Requires a key for the hub API, in `x-api-key` or as bearer token.', false),
  HUB_API_KEYS: Type.Optional(
    text('Keys that the hub API accepts in addition to those of `plaza key create`.', {
      pattern: '^[^\\s,]{16,}(\\s*,\\s*[^\\s,]{16,})*$',
      patternText: 'keys of at least 16 characters, separated by commas',
      secret: true,
    }),
  ),
  HUB_ADMIN_AUTH: Type.Optional(
    text('Credentials for `/v1/mesh`, GetMeshView and GetMeshTopology; without them these are open.', {
      pattern: '^[^\\s,:]+:[^\\s,:]+(,[^\\s,:]+:[^\\s,:]+)*$',
      patternText: 'user:password, several separated by commas',
      secret: true,
    }),
  ),
  HUB_BODY_LIMIT: integer('Maximum size of a request body of the hub API, in bytes.', {
    minimum: 1024,
    maximum: 1024 * 1024 * 1024,
    default: 4 * 1024 * 1024,
  }),
  HUB_RATE_LIMIT: integer('Requests per minute and client address on the hub API. 0 is no limit.', {
    minimum: 0,
    maximum: 10_000_000,
    default: 60_000,
  }),
  HUB_STREAMS: integer('Event streams that may be open at once, for gRPC and for HTTP each.', {
    minimum: 0,
    maximum: 100_000,
    default: 256,
  }),
  HUB_STREAMS_PER_CALLER: integer(
    'Event streams that one API key, or one address without a key, may have open at once, for gRPC and for HTTP each.',
    { minimum: 0, maximum: 100_000, default: 32 },
  ),
  HUB_STREAM_TIMEOUT_MS: integer(
    'Milliseconds after which an event stream (gRPC or HTTP) is closed when its client reads nothing.',
    { minimum: 1_000, maximum: 3_600_000, default: 120_000 },
  ),
  EVENT_RETENTION_DAYS: integer('Days that events stay in the event log.', {
    minimum: 1,
    maximum: 3650,
    default: 3,
  }),
  VERIFY_THREADS: integer(
    'Threads that verify signatures of several messages at once. 0 verifies all in the main thread.',
    {
      minimum: 0,
      maximum: 256,
      default: availableParallelism(),
      defaultText: 'one per core',
    },
  ),
}
