import type { Operation } from './operation.js'
import { fnameAvailability } from './operations/fname/availability.js'
import { storageAllocations } from './operations/storage/allocations.js'
import { storageUsage } from './operations/storage/usage.js'
import { userBulk } from './operations/user/bulk.js'

/** Every operation of the API. What is not listed here is not served. */
export const operations: readonly Operation[] = [
  fnameAvailability,
  storageAllocations,
  storageUsage,
  userBulk,
]
