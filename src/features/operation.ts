import { type Operation as ApiOperation, operationDefiner } from '../api/operation.js'
import type { Hydrator } from '../graph/cache/hydrator.js'
import type { Hub } from '../hub/hub.js'
import type { Database } from '../platform/db/connection.js'
import type { NetClient } from '../platform/outbound/net-client.js'
import type { Vault } from '../platform/vault/vault.js'
import type { Accounts } from './accounts/accounts.js'
import type { Crawler } from './embeds/crawler.js'
import type { Campaigns } from './miniapps/campaigns/sending/sender.js'
import type { MiniAppSettings } from './miniapps/settings.js'
import type { BearerVerifier } from './sign-in/bearer-token.js'
import type { SignerCache } from './signers/signer-cache.js'
import type { Assets } from './tokens/on-demand-tokens.js'
import type { WebhookSettings } from './webhooks/settings.js'

/** What operations work with. An operation takes the parts that it uses: `handle({ db }, query)`. */
export interface OperationContext {
  /** For reads. */
  readonly db: Database
  /** For writes, and for reads that must see them. */
  readonly writerDb: Database
  /** Takes messages, and what a local network tells in a chain's stead. */
  readonly hub: Hub
  /** Encrypts what is kept secret. */
  readonly vault: Vault
  /** Finds the signers that requests act through. */
  readonly signers: SignerCache
  /** Tells who a bearer token speaks for. */
  readonly bearer: BearerVerifier
  /** Registers accounts that wallets pay for; null where neither a chain nor the local network is there for it. */
  readonly accounts: Accounts | null
  /** What the operator decides of webhooks. */
  readonly webhooks: WebhookSettings
  /** And of mini apps. */
  readonly miniapps: MiniAppSettings
  /** Sends notifications to users of mini apps. */
  readonly campaigns: Campaigns
  /** Tokens of chains, as far as they are followed. */
  readonly assets: Assets
  /** Of the protocol: FarcasterNetwork. */
  readonly network: number
  /** The address that users reach this server at, without a slash at its end. */
  readonly publicUrl: () => string
  /** Makes JSON of users, casts and channels by their ids. */
  readonly hydrator: Hydrator
  /** Fetches embedded URLs. */
  readonly crawler: Pick<Crawler, 'crawlNow'>
  /** Reaches addresses of other apps: https, and none that is private. */
  readonly net: Pick<NetClient, 'request'>
  /** Unix milliseconds. */
  readonly clock: () => number
}

/** An operation of the main API. */
export type Operation = ApiOperation<OperationContext>

/** Checks the types of an operation of the main API and makes it ready for the list in `app/operations.ts`. */
export const defineOperation = operationDefiner<OperationContext>()
