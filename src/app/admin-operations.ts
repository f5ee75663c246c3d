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
import { listAuditLogOperation } from '../features/console/audit-operations.js'
import { getOverviewOperation } from '../features/console/overview-operation.js'
import { listProcessesOperation } from '../features/processes/process-operations.js'

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
  getOverviewOperation,
  listProcessesOperation,
  listAuditLogOperation,
]
