import { adminOperationDefiner, type ErasedAdminOperation } from '../api/admin/admin-operation.js'
import type { OperationContext } from './operation.js'

/** An operation of the admin API. */
export type AdminOperation = ErasedAdminOperation<OperationContext>

/** Types and validates an admin operation for the list in `app/admin-operations.ts`. */
export const defineAdminOperation = adminOperationDefiner<OperationContext>()
