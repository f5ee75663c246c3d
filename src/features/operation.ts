import { type ErasedOperation, operationDefiner } from '../api/operation.js'
import type { Hydrator } from '../graph/cache/hydrator.js'
import type { CacheWriter } from '../graph/cache/invalidation.js'
import type { ChainLookups } from '../hub/chain-claims/chain-lookups.js'
import type { Hub } from '../hub/hub.js'
import type { Database } from '../platform/db/connection.js'
import type { Metrics } from '../platform/metrics.js'
import type { NetClient } from '../platform/outbound/net-client.js'
import type { SavedTargets } from '../platform/outbound/saved-targets.js'
import type { TargetPolicy } from '../platform/outbound/target.js'
import type { Vault } from '../platform/vault/vault.js'
import type { Accounts } from './accounts/accounts.js'
import type { WalletLedgers } from './accounts/ledger/chain/chain-ledger.js'
import type { Ai } from './ai/ai.js'
import type { BearerVerifier } from './bearer/bearer-token.js'
import type { ServerMonitor } from './console/overview/monitor.js'
import type { Crawler } from './embeds/crawler.js'
import type { FrameServers } from './frames/frame-server.js'
import type { Campaigns } from './miniapps/campaigns/campaign-client.js'
import type { SignerCache } from './signers/acting-signer.js'
import type { FidConsent } from './signers/fid-consent.js'
import type { SubscriptionSettings } from './subscriptions/settings.js'
import type { SystemSettings } from './system/system-settings.js'
import type { TokenTracking } from './tokens/on-demand-tokens.js'
import type { WebhookSettings } from './webhooks/webhooks.js'

/** Dependencies of operations. An operation takes what it uses: `handle({ db }, query)`. */
export interface OperationContext {
  /** Used for reads: a replica, or the primary. One database for the whole request. */
  readonly db: Database
  /** Used for writes, and for reads that must see them. */
  readonly writerDb: Database
  /** Merges messages, and on-chain events of a local network. */
  readonly hub: Hub
  /** Asks chains about contract wallets. */
  readonly lookups: ChainLookups
  /** Encrypts secrets at rest. */
  readonly vault: Vault
  /** Finds the signers that requests name. */
  readonly signers: SignerCache
  /** Decides whether an app may act for a user whom a request names by number. */
  readonly fidConsent: FidConsent
  /** Verifies bearer tokens of users. */
  readonly bearer: BearerVerifier
  /** Registers accounts paid by wallets; null without a chain or local network for it. */
  readonly accounts: Accounts | null
  /** Ledgers of the wallets, by the network that they spend on. */
  readonly walletLedgers: WalletLedgers
  /** Operator settings of webhooks. */
  readonly webhooks: WebhookSettings
  /** Policy for URLs of notifications and events of mini apps. */
  readonly miniapps: { readonly targetPolicy: TargetPolicy }
  /** Checks URLs of requests before they are stored. */
  readonly savedTargets: SavedTargets
  /** Sends notifications to users of mini apps. */
  readonly campaigns: Campaigns
  /** Tokens on chains; only tracked tokens are indexed. */
  readonly tokenTracking: TokenTracking
  /** Followed subscription contracts. */
  readonly subscriptions: SubscriptionSettings
  /** FarcasterNetwork of the protocol. */
  readonly network: number
  /** Public URL of this server without a trailing slash. */
  readonly publicUrl: () => string
  /** Renders users, casts and channels by their ids. */
  readonly hydrator: Hydrator
  /** Fetches embedded URLs. */
  readonly crawler: Pick<Crawler, 'crawlNow'>
  /** Asks frames what follows a pressed button. */
  readonly frameServers: Pick<FrameServers, 'post'>
  /** Sends requests to other apps: https only, no private addresses. */
  readonly net: Pick<NetClient, 'request'>
  /** The AI endpoint; without one its members are null. */
  readonly ai: Ai
  /** How this process is set up. */
  readonly system: SystemSettings
  /** Metrics of this process. */
  readonly metrics: Metrics
  /** Monitor of the server, for its overview. */
  readonly monitor: ServerMonitor
  /** Unix milliseconds. */
  readonly clock: () => number
}

/** An operation of the main API. */
export type Operation = ErasedOperation<OperationContext>

/** Types and validates an operation for the list in `app/operations.ts`. */
export const defineOperation = operationDefiner<OperationContext>()

/** Marks operations as deprecated since a day (UTC, `2025-10-31`). */
export function deprecate(since: string, operations: readonly Operation[]): readonly Operation[] {
  return operations.map((operation) => ({ ...operation, deprecatedSince: since }))
}

/** Where an operation writes what is not in the event log, and its time in Unix seconds. */
export function cacheWriterOf({
  writerDb,
  hydrator,
  clock,
}: Pick<OperationContext, 'writerDb' | 'hydrator' | 'clock'>): CacheWriter & { readonly nowUnix: number } {
  return { db: writerDb, invalidation: hydrator.invalidation, nowUnix: Math.floor(clock() / 1000) }
}
