import { availableParallelism } from 'node:os'
import { MINUTE_MS } from '../durations.js'
import type { ErrorCode } from '../errors.js'

/** A limit on how much one client, or all clients together, may ask of a process. */
interface CommonLimit {
  /** The part of the server that it applies to, in Markdown. */
  readonly scope: string
  /** Unit of the count, in the plural. */
  readonly unit: string
  /**
   * Scope of each count. Requests per API key and minute hold for all processes (`shared-budget.ts`); every other limit is
   * of one process. `API key or address`: the key if a valid one is sent, and else the address.
   */
  readonly per:
    | 'API key'
    | 'API key or address'
    | 'address'
    | 'connection'
    | 'fid; wallet and caller'
    | 'process'
    | 'session or address'
  /** 0 is no limit. */
  readonly default: number
  /** How the default follows from the machine. */
  readonly defaultText?: string
  /** The environment variable that changes it. */
  readonly variable?: string
  readonly transport: 'HTTP' | 'gRPC'
  /** The code of the refusal. Undefined: the client waits by itself. */
  readonly code?: ErrorCode
}

/** A number of events per time window, for each key or address. */
export interface RateLimit extends CommonLimit {
  /**
   * `fixed window`: a window starts with the first count, and all of it is free again when it ends. `token
   * bucket`: a bucket holds a window's worth and refills evenly.
   */
  readonly algorithm: 'fixed window' | 'token bucket'
  readonly windowMs: number
  /** Keys counted at once; the least recently used are dropped first. Undefined: any number. */
  readonly maxKeys?: number
}

/** A number of things at the same time. */
export interface SlotLimit extends CommonLimit {
  readonly algorithm: 'slots'
  /** The text of the refusal. */
  readonly refusal?: string
}

const MAX_ADDRESSES = 10_000

/** Members of all limits on requests from one address. */
const perAddress = {
  per: 'address',
  algorithm: 'fixed window',
  windowMs: MINUTE_MS,
  maxKeys: MAX_ADDRESSES,
  code: 'bad_request.rate_limited',
} as const

/**
 * All limits per key, address, connection and process. Business rules, such as the number of webhooks of an
 * app, are not here: the database enforces them. `docs/api.md` and `docs/hub-api.md` list these rows, which a
 * test checks.
 */
export const limits = {
  apiRequests: {
    scope: 'main API, `/v2`',
    unit: 'requests',
    per: 'API key',
    algorithm: 'token bucket',
    windowMs: MINUTE_MS,
    default: 0,
    variable: 'API_RATE_LIMIT',
    transport: 'HTTP',
    code: 'bad_request.rate_limited',
  },
  publicReads: {
    ...perAddress,
    scope: 'main API, reads without a key',
    unit: 'requests',
    default: 300,
    variable: 'PUBLIC_READS_RATE_LIMIT',
    transport: 'HTTP',
  },
  keylessRequests: {
    ...perAddress,
    scope: 'main API, operations that need no key',
    unit: 'requests',
    default: 300,
    transport: 'HTTP',
  },
  aiRequests: {
    scope: 'main API, requests that need the AI endpoint',
    unit: 'requests',
    per: 'API key',
    algorithm: 'token bucket',
    windowMs: MINUTE_MS,
    default: 20,
    variable: 'AI_RATE_LIMIT',
    transport: 'HTTP',
    code: 'bad_request.rate_limited',
  },
  // Each is a statement. A client whose one key was revoked costs sixty, however often it asks: it must leave some to others
  // behind its address, whose valid keys are new to the process.
  unknownCredentials: {
    scope: 'unknown API keys of the main API, unknown sessions of the console',
    unit: 'lookups',
    per: 'address',
    algorithm: 'token bucket',
    windowMs: MINUTE_MS,
    maxKeys: MAX_ADDRESSES,
    default: 120,
    transport: 'HTTP',
    code: 'bad_request.rate_limited',
  },
  adminFailures: {
    ...perAddress,
    scope: 'admin API, `/admin`',
    unit: 'wrong tokens',
    default: 10,
    transport: 'HTTP',
  },
  crawls: {
    scope: '`cast/embed/crawl` and `frame/crawl`',
    unit: 'URLs being crawled',
    per: 'process',
    algorithm: 'slots',
    default: 16,
    transport: 'HTTP',
    code: 'unavailable',
    refusal: 'too many URLs are being crawled',
  },
  // A URL may take 40 s: nobody else could crawl if one caller had all slots.
  crawlsOfCaller: {
    scope: '`cast/embed/crawl` and `frame/crawl`',
    unit: 'URLs being crawled',
    per: 'API key',
    algorithm: 'slots',
    default: 4,
    transport: 'HTTP',
    code: 'bad_request.rate_limited',
    refusal: 'too many URLs are being crawled for this API key',
  },
  // A frame may take 5 s, and its page half a megabyte.
  frameActions: {
    scope: '`frame/action` and `frame/developer_managed/action`',
    unit: 'frames that are asked',
    per: 'process',
    algorithm: 'slots',
    default: 64,
    transport: 'HTTP',
    code: 'unavailable',
    refusal: 'too many frames are being asked',
  },
  frameActionsOfCaller: {
    scope: '`frame/action` and `frame/developer_managed/action`',
    unit: 'frames that are asked',
    per: 'API key',
    algorithm: 'slots',
    default: 16,
    transport: 'HTTP',
    code: 'bad_request.rate_limited',
    refusal: 'too many frames are being asked for this API key',
  },
  // A browser has one for each tab that is looked at.
  consoleStreams: {
    scope: '`/admin/stream`',
    unit: 'open streams',
    per: 'process',
    algorithm: 'slots',
    default: 64,
    transport: 'HTTP',
    code: 'unavailable',
    refusal: 'too many streams of consoles are open on this server',
  },
  consoleStreamsOfSession: {
    scope: '`/admin/stream`',
    unit: 'open streams',
    per: 'session or address',
    algorithm: 'slots',
    default: 16,
    transport: 'HTTP',
    code: 'bad_request.rate_limited',
    refusal: 'too many streams of this session or address are open',
  },
  nftMetadataRequests: {
    ...perAddress,
    scope: 'NFT metadata, `/nft/metadata`',
    unit: 'requests',
    default: 600,
    transport: 'HTTP',
  },
  paymentPageRequests: {
    ...perAddress,
    scope: 'payment pages, `/pay`',
    unit: 'requests',
    default: 300,
    transport: 'HTTP',
  },
  // A page that waits for an answer sends thirty requests a minute.
  approvalRequests: {
    ...perAddress,
    scope: 'approval pages, `/approve`',
    unit: 'requests',
    default: 300,
    transport: 'HTTP',
  },
  // A sign-in takes five requests, and twenty while its approval waits for a transaction.
  loginRequests: {
    ...perAddress,
    scope: 'browser sign-in, `/login`',
    unit: 'requests',
    default: 120,
    transport: 'HTTP',
  },
  // A client app sends the events of all its users from a few addresses: a hundred a second are more than the
  // largest needs. Checking their signatures takes 1 % of a core, and 16 % where addresses have signed.
  miniAppRequests: {
    ...perAddress,
    scope: 'mini apps and their clients, `/f`',
    unit: 'requests',
    default: 6_000,
    transport: 'HTTP',
  },
  // The page takes three requests, of which one is a script of 4 MB.
  docsRequests: {
    ...perAddress,
    scope: 'API reference, `/docs` and `/openapi.json`',
    unit: 'requests',
    default: 120,
    transport: 'HTTP',
  },
  // Those that wait cost memory until they are answered, at the latest after `REQUEST_TIMEOUT_MS`.
  pendingRequests: {
    scope: 'all APIs over HTTP',
    unit: 'requests without an answer yet',
    per: 'process',
    algorithm: 'slots',
    default: 10_000,
    transport: 'HTTP',
    code: 'unavailable',
    refusal: 'too many requests are waiting for their answer',
  },
  // A client that reads pages of 1,000 events one after the other waits for most of the time: for its own socket, for
  // PostgreSQL, for itself. The fastest take 35 to 45 s of the server's thread in a minute, and 17 to 25 if the pages are
  // cached. An importer that has four bulk requests in flight takes 20 s. So one core is enough for each of them, and who sends
  // requests side by side as fast as they are answered runs out of it.
  heavyWork: {
    scope: 'heavy requests of all APIs',
    unit: 'milliseconds of work',
    per: 'API key or address',
    algorithm: 'token bucket',
    windowMs: MINUTE_MS,
    maxKeys: MAX_ADDRESSES,
    default: 60_000,
    variable: 'WORK_RATE_LIMIT',
    transport: 'HTTP',
    code: 'bad_request.rate_limited',
  },
  // At most half of the connections for reads: the others stay free for light requests. And a core stays free: on two
  // cores, the p99 of ordinary reads beside 32 callers of heavy ones is 21 to 41 ms with one heavy read at once and 47 to 94
  // with three, which answer 0.6 to 1.4 times as many (bench:hostile).
  heavyReads: {
    scope: 'heavy reads of all APIs; up to 256 others wait',
    unit: 'requests in progress',
    per: 'process',
    algorithm: 'slots',
    default: Math.min(3, Math.max(1, availableParallelism() - 1)),
    defaultText: 'one less than the cores, 1 to 3',
    variable: 'WORK_CONCURRENCY',
    transport: 'HTTP',
    code: 'unavailable',
  },
  hubRequests: {
    ...perAddress,
    scope: 'hub API, `/v1`',
    unit: 'requests',
    default: 60_000,
    variable: 'HUB_RATE_LIMIT',
    transport: 'HTTP',
  },
  hubCalls: {
    ...perAddress,
    scope: 'hub over gRPC',
    unit: 'calls',
    default: 60_000,
    variable: 'HUB_RATE_LIMIT',
    transport: 'gRPC',
  },
  // A user proves few names. Each costs the operator two RPC calls for each URL.
  chainLookups: {
    scope: 'names and contract wallets that a chain confirms',
    unit: 'lookups',
    per: 'fid; wallet and caller',
    algorithm: 'token bucket',
    windowMs: MINUTE_MS,
    maxKeys: MAX_ADDRESSES,
    default: 10,
    transport: 'HTTP',
    code: 'bad_request.rate_limited',
  },
  eventStreams: {
    scope: '`/v1/events/stream`',
    unit: 'open streams',
    per: 'process',
    algorithm: 'slots',
    default: 256,
    variable: 'HUB_STREAMS',
    transport: 'HTTP',
    code: 'unavailable',
    refusal: 'too many event streams are open on this server',
  },
  // A follower has a stream for each shard, and mainnet two shards.
  eventStreamsOfCaller: {
    scope: '`/v1/events/stream`',
    unit: 'open streams',
    per: 'API key or address',
    algorithm: 'slots',
    default: 32,
    variable: 'HUB_STREAMS_PER_CALLER',
    transport: 'HTTP',
    code: 'bad_request.rate_limited',
    refusal: 'too many event streams of this API key or address are open',
  },
  subscribers: {
    scope: '`Subscribe`',
    unit: 'open subscriptions',
    per: 'process',
    algorithm: 'slots',
    default: 256,
    variable: 'HUB_STREAMS',
    transport: 'gRPC',
    code: 'unavailable',
    refusal: 'too many subscribers on this server',
  },
  subscribersOfCaller: {
    scope: '`Subscribe`',
    unit: 'open subscriptions',
    per: 'API key or address',
    algorithm: 'slots',
    default: 32,
    variable: 'HUB_STREAMS_PER_CALLER',
    transport: 'gRPC',
    code: 'bad_request.rate_limited',
    refusal: 'too many subscriptions of this API key or address',
  },
  concurrentCalls: {
    scope: 'hub over gRPC',
    unit: 'calls in progress',
    per: 'connection',
    algorithm: 'slots',
    default: 1_000,
    transport: 'gRPC',
  },
} as const satisfies Record<string, RateLimit | SlotLimit>
