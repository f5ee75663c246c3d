import type { AdminOperation } from './admin-operation.js'
import { createAppOperation } from './app/create-app.js'
import { createKeyOperation } from './app/create-key.js'
import { editAppOperation } from './app/edit-app.js'
import { editKeyOperation } from './app/edit-key.js'
import { getAppOperation } from './app/get-app.js'
import { listAppsOperation } from './app/list-apps.js'
import { listKeysOperation } from './app/list-keys.js'
import { revokeKeyOperation } from './app/revoke-key.js'

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
