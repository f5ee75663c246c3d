import {
  type AdminOperation as ApiAdminOperation,
  adminOperationDefiner,
} from '../api/admin/admin-operation.js'
import type { OperationContext } from './operation.js'

/** An operation of the admin API. */
export type AdminOperation = ApiAdminOperation<OperationContext>

/** Types and validates an admin operation for the list in `app/admin-operations.ts`. */
export const defineAdminOperation = adminOperationDefiner<OperationContext>()
