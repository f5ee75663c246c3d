import type { MergeHook } from '../hub/merge/merge.js'
import type { Module } from './module.js'
import { accountsModule } from './modules/accounts.js'
import { aiModule } from './modules/ai.js'
import { appsModule } from './modules/apps.js'
import { campaignsModule } from './modules/campaigns.js'
import { chainsModule } from './modules/chains.js'
import { crawlerModule } from './modules/crawler.js'
import { databaseSizeModule } from './modules/database-size.js'
import { eventLogModule } from './modules/event-log.js'
import { hubApiModule, hubGrpcModule } from './modules/hub-api.js'
import { importersModule } from './modules/importers.js'
import { mainApiModule } from './modules/main-api.js'
import { maintenanceModule } from './modules/maintenance.js'
import { miniAppCatalogModule } from './modules/mini-app-catalog.js'
import { namesModule } from './modules/names.js'
import { notificationsModule } from './modules/notifications.js'
import { paymentsModule } from './modules/payments.js'
import { readModelModule } from './modules/read-model.js'
import { retentionModule } from './modules/retention.js'
import { scoreModule } from './modules/score.js'
import { subscriptionsModule } from './modules/subscriptions.js'
import { syncModule } from './modules/sync.js'
import { tokensModule } from './modules/tokens.js'
import { topicsModule } from './modules/topics.js'
import { webhooksModule } from './modules/webhooks.js'

/**
 * The whole wiring: every part of the server, in the order in which they start. They stop in the reverse order. A module
 * may use services of those above it.
 */
export const modules: readonly Module[] = [
  eventLogModule,
  readModelModule,
  notificationsModule,
  webhooksModule,
  crawlerModule,
  miniAppCatalogModule,
  campaignsModule,
  chainsModule,
  tokensModule,
  subscriptionsModule,
  paymentsModule,
  accountsModule,
  retentionModule,
  databaseSizeModule,
  namesModule,
  importersModule,
  scoreModule,
  aiModule,
  topicsModule,
  syncModule,
  maintenanceModule,
  appsModule,
  mainApiModule,
  hubApiModule,
  hubGrpcModule,
]

/**
 * Hooks of every merge's transaction, in this order. Every opened hub has all of them: what is merged by a
 * command has the same effects as what is merged by the server.
 */
export const mergeHooks: readonly MergeHook[] = modules.flatMap((module) => module.mergeHooks ?? [])
