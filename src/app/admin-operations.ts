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

/** Every operation of the admin API. What is not listed here is not served. */
export const adminOperations: readonly AdminOperation[] = [
  listAppsOperation,
  createAppOperation,
  getAppOperation,
  editAppOperation,
  listKeysOperation,
  createKeyOperation,
  editKeyOperation,
  revokeKeyOperation,
]
