import { availableParallelism } from 'node:os'
import { Type } from '@sinclair/typebox'
import { flag, integer, oneOf, text } from './variable.js'

/** The hub and its log. */
export const hubVariables = {
  HUB_PORT: Type.Optional(
    integer({
      minimum: 0,
      maximum: 65_535,
      description: 'A second port that serves only the hub API (`/v1`), for clients that expect it alone.',
    }),
  ),
  HUB_GRPC_PORT: Type.Optional(
    integer({
      minimum: 0,
      maximum: 65_535,
      description:
        'Port of the hub over gRPC (`HubService`); nodes of the network have 3383. Unset: it is not served.',
    }),
  ),
  HUB_NETWORK: oneOf(['mainnet', 'testnet', 'devnet'], {
    default: 'devnet',
    description: 'Network of the protocol; messages of another are refused. `devnet` has the local registry.',
  }),
  HUB_SHARDS: integer({
    minimum: 1,
    maximum: 64,
    default: 1,
    description: 'Number of shards, fixed when the database is made.',
  }),
  HUB_REQUIRE_API_KEY: flag({
    default: false,
    description: 'Whether the hub API asks for a key, in `x-api-key` or as a bearer token.',
  }),
  HUB_API_KEYS: Type.Optional(
    text({
      pattern: '^[^\\s,]{16,}(\\s*,\\s*[^\\s,]{16,})*$',
      patternText: 'keys of at least 16 characters, separated by commas',
      secret: true,
      description: 'Keys that the hub API then accepts, beside those of `plaza key create`.',
    }),
  ),
  HUB_BODY_LIMIT: integer({
    minimum: 1024,
    maximum: 1024 * 1024 * 1024,
    default: 4 * 1024 * 1024,
    description: 'Largest request body of the hub API, in bytes.',
  }),
  HUB_RATE_LIMIT: integer({
    minimum: 0,
    maximum: 10_000_000,
    default: 60_000,
    description: 'Requests per minute and address on the hub API; 0 is no limit.',
  }),
  HUB_STREAM_TIMEOUT_MS: integer({
    minimum: 1_000,
    maximum: 3_600_000,
    default: 120_000,
    description:
      'How long a follower of the event log, over gRPC or HTTP, may take nothing before it is let go, in milliseconds.',
  }),
  EVENT_RETENTION_DAYS: integer({
    minimum: 1,
    maximum: 3650,
    default: 3,
    description: 'How many days events stay in the log.',
  }),
  VERIFY_THREADS: integer({
    minimum: 0,
    maximum: 256,
    default: availableParallelism(),
    defaultText: 'one per core',
    description: 'Threads that verify signatures; 0 verifies in the main thread.',
  }),
}
