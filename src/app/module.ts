import type { FastifyInstance } from 'fastify'
import type { FindCaller } from '../api/api-keys.js'
import type { Accounts } from '../features/accounts/accounts.js'
import type { WalletLedgers } from '../features/accounts/ledger/chain/chain-ledger.js'
import type { Ai } from '../features/ai/ai.js'
import type { ApiKeyCache } from '../features/apps/api-key-cache.js'
import type { KeyUsage } from '../features/apps/key-usage.js'
import type { Crawler } from '../features/embeds/crawler.js'
import type { Campaigns } from '../features/miniapps/campaigns/campaign-client.js'
import type { TokenTracking } from '../features/tokens/on-demand-tokens.js'
import type { Hydrator } from '../graph/cache/hydrator.js'
import type { ChainRpc } from '../hub/chain/chain-rpc.js'
import type { ChainSettings } from '../hub/chain/chain-settings.js'
import type { ChainName } from '../hub/chain/chains.js'
import type { FollowingOptions, LogHandler, StepResult } from '../hub/chain/follower.js'
import type { ChainLookups } from '../hub/chain-claims/chain-lookups.js'
import type { Hub } from '../hub/hub.js'
import type { Consumer } from '../hub/log/consumer-batch.js'
import type { EventTail } from '../hub/log/tail.js'
import type { MergeHook } from '../hub/merge/merge.js'
import type { AiClient } from '../platform/ai/ai-client.js'
import type { Database } from '../platform/db/connection.js'
import type { ReadRouting } from '../platform/db/replicas/read-routing.js'
import type { WorkLimits } from '../platform/limits/work-limits.js'
import type { ErrorJournal } from '../platform/log/error-journal.js'
import type { Log } from '../platform/log/log.js'
import type { Metrics } from '../platform/metrics.js'
import type { Role } from '../platform/process/roles.js'
import type { ScheduledJob } from '../platform/scheduler/scheduled-jobs.js'
import type { Tracing } from '../platform/tracing/tracing.js'
import type { Vault } from '../platform/vault/vault.js'
import type { Config } from './config/config.js'
import type { Connections } from './connections.js'

/** Dependencies of every module. */
export interface ServerApp {
  readonly config: Config
  readonly roles: ReadonlySet<Role>
  /** For what connects by itself: the thread that computes scores. */
  readonly databaseUrl: string
  readonly connections: Connections
  /** Chooses the database of each read of the APIs; null without replicas: they read from the primary. */
  readonly reads: ReadRouting | null
  readonly hub: Hub
  /** Asks chains about names and contract wallets. */
  readonly lookups: ChainLookups
  /** Tells of new events in the log. */
  readonly tail: EventTail
  /** Makes JSON of users, casts and channels by their ids. */
  readonly hydrator: Hydrator
  readonly vault: Vault
  readonly metrics: Metrics
  /** The failures of this process. */
  readonly errors: ErrorJournal
  /** Id in the registry of processes. */
  readonly processId: string
  /** Bounds heavy requests of all APIs. */
  readonly workLimits: WorkLimits
  readonly log: Log
  /** Starts the spans of requests, calls, consumers and deliveries. */
  readonly tracing: Tracing
  /** Unix milliseconds. */
  readonly clock: () => number
  /** The address that users reach this server at, without a slash at its end. */
  readonly publicUrl: () => string
  /** A service of a module that stands above in the list. Throws when there is none. */
  service<Name extends keyof Services>(name: Name): Services[Name]
}

/** Services of a module for those below it in the list. */
export interface Services {
  readonly findCaller: FindCaller
  readonly findClient: ApiKeyCache['findClient']
  readonly keyUsage: KeyUsage
  readonly developmentKey: string | null
  readonly crawler: Crawler
  readonly campaigns: Campaigns
  readonly chains: OpenChains | null
  readonly tokens: TokenTracking
  readonly accounts: Accounts | null
  readonly walletLedgers: WalletLedgers
  /** The AI endpoint, for requests. */
  readonly ai: Ai
  /** The AI endpoint, for jobs; null without one. */
  readonly aiClient: AiClient | null
  /** `<host>:<port>` of the hub over gRPC; null where it is not served. */
  readonly grpcAddress: string | null
}

/** The chains that are set up. */
export interface OpenChains {
  readonly settings: ChainSettings
  readonly rpcs: ReadonlyMap<ChainName, ChainRpc>
  /** Pool that followers write with. */
  readonly db: Database
  /** This process, as the holder of leases. */
  readonly holder: { readonly id: string; readonly locks: Database }
  /** Counts what followers do. */
  readonly onProgress: (progress: StepResult) => void
  /** Follows a network's logs for a handler, until the module stops. Only a process that syncs follows. */
  follow<Extra>(rpc: ChainRpc, handler: LogHandler<Extra>, onWork?: FollowingOptions['onWork']): void
}

/** Adds routes to a server. */
export type Routes = (app: FastifyInstance) => Promise<void>

/** Parts that a module has started. */
export interface StartedModule {
  readonly services?: Partial<Services>
  /** Routes of the main server. */
  readonly routes?: Routes
  /** Routes of the main server, and the only ones of the server on `HUB_PORT`. */
  readonly hubRoutes?: Routes
  readonly jobs?: readonly ScheduledJob[]
  /** Makes jobs that take long end early: the server awaits all that run before it stops the modules. */
  readonly cancelJobs?: () => unknown
  /**
   * Makes requests that wait for work answer how far it is. Called when the server has stopped listening and half of the time for
   * the requests that have begun is over.
   */
  readonly endWaits?: () => void
  /** Finishes or gives back what is under way. */
  readonly stop?: () => Promise<void>
}

/** A part of the server: the whole wiring is a list of these (`modules.ts`). */
export interface Module {
  readonly name: string
  /** A process with one of these roles starts it. */
  readonly runsIn: readonly Role[]
  /** Run in every merge's transaction, in every process that merges: server, command or test. */
  readonly mergeHooks?: readonly MergeHook[]
  /**
   * Consumers of the event log. They run in the worker role. Every process makes their cursors, so that what is merged
   * before the first worker starts is not missed.
   */
  readonly consumers?: (clock: () => number) => readonly Consumer[]
  /** Adds metrics about work that waits, in every process: so that a missing role shows in the others. */
  readonly observe?: (app: ServerApp) => void
  start?(app: ServerApp): Promise<StartedModule> | StartedModule
}
