import {
  getAccountsOperation,
  listPoolFidsOperation,
  listRegistrationsOperation,
  listWalletsOperation,
  listWalletTransactionsOperation,
} from '../features/accounts/admin/account-admin-operations.js'
import type { AdminOperation } from '../features/admin-operation.js'
import {
  createAppOperation,
  createKeyOperation,
  editAppOperation,
  editKeyOperation,
  getAppOperation,
  listAppsOperation,
  listKeysOperation,
  revokeKeyOperation,
} from '../features/apps/admin/app-operations.js'
import {
  deleteCustodyKeyOperation,
  saveCustodyKeyOperation,
} from '../features/apps/admin/custody-key-operations.js'
import { getAppUsageOperation } from '../features/apps/admin/usage-operations.js'
import { getCastMessageOperation } from '../features/casts/admin/cast-message-operation.js'
import { getChannelActivityOperation } from '../features/channels/admin/channel-activity-operation.js'
import { listAuditLogOperation } from '../features/console/audit-operations.js'
import { getEventOperation, listEventsOperation } from '../features/console/events/event-operations.js'
import { getOverviewOperation } from '../features/console/overview/overview-operation.js'
import { endSessionOperation, listSessionsOperation } from '../features/console/session-operations.js'
import {
  cancelMaintenanceOperation,
  listMaintenanceOperation,
  startMaintenanceOperation,
} from '../features/maintenance/maintenance-operations.js'
import { getBanEffectOperation } from '../features/moderation/admin/ban-effect-operation.js'
import { listProcessesOperation } from '../features/processes/process-operations.js'
import { explainScoreOperation } from '../features/score/admin/score-operation.js'
import { listAppSignersOperation } from '../features/signers/admin/app-signer-operations.js'
import {
  getConfigurationOperation,
  getSystemOperation,
  listJobsOperation,
} from '../features/system/system-operations.js'
import {
  listTrackedTokensOperation,
  trackTokenOperation,
  untrackTokenOperation,
} from '../features/tokens/admin/token-admin-operations.js'
import { listUserKeysOperation } from '../features/users/admin/user-key-operations.js'

/** Every operation of the admin API. What is not listed here is not served. */
export const adminOperations: readonly AdminOperation[] = [
  listAppsOperation,
  createAppOperation,
  getAppOperation,
  editAppOperation,
  saveCustodyKeyOperation,
  deleteCustodyKeyOperation,
  listKeysOperation,
  createKeyOperation,
  editKeyOperation,
  revokeKeyOperation,
  listAppSignersOperation,
  getBanEffectOperation,
  listUserKeysOperation,
  explainScoreOperation,
  getCastMessageOperation,
  getChannelActivityOperation,
  getAppUsageOperation,
  getOverviewOperation,
  listEventsOperation,
  getEventOperation,
  listProcessesOperation,
  listAuditLogOperation,
  listSessionsOperation,
  endSessionOperation,
  getAccountsOperation,
  listWalletsOperation,
  listPoolFidsOperation,
  listRegistrationsOperation,
  listWalletTransactionsOperation,
  listTrackedTokensOperation,
  trackTokenOperation,
  untrackTokenOperation,
  getConfigurationOperation,
  getSystemOperation,
  listJobsOperation,
  listMaintenanceOperation,
  startMaintenanceOperation,
  cancelMaintenanceOperation,
]
