import type { AdminOperation } from '../features/admin-operation.js'
import { createAppOperation } from '../features/apps/admin/create-app.js'
import { createKeyOperation } from '../features/apps/admin/create-key.js'
import { editAppOperation } from '../features/apps/admin/edit-app.js'
import { editKeyOperation } from '../features/apps/admin/edit-key.js'
import { getAppOperation } from '../features/apps/admin/get-app.js'
import { listAppsOperation } from '../features/apps/admin/list-apps.js'
import { listKeysOperation } from '../features/apps/admin/list-keys.js'
import { revokeKeyOperation } from '../features/apps/admin/revoke-key.js'

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
