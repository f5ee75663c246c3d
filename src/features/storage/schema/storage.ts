import { type Static, Type } from '@sinclair/typebox'
import { DateTime, namedObject } from '../../../graph/view/schema/primitives.js'
import { UserDehydrated } from '../../../graph/view/schema/user-dehydrated.js'

const units = Type.Integer({ examples: [2] })

/** Usage and capacity of one kind of message. */
export const StorageObject = namedObject('StorageObject', {
  object: Type.Optional(Type.String({ examples: ['storage'] })),
  used: Type.Optional(Type.Integer({ examples: [1204] })),
  capacity: Type.Optional(Type.Integer({ examples: [10_000] })),
})
export type StorageObject = Static<typeof StorageObject>

export const StorageUsageResponse = namedObject('StorageUsageResponse', {
  object: Type.Optional(Type.String({ examples: ['storage_usage'] })),
  user: Type.Optional(UserDehydrated),
  total_active_units: Type.Optional(units),
  casts: Type.Optional(StorageObject),
  reactions: Type.Optional(StorageObject),
  links: Type.Optional(StorageObject),
  verified_addresses: Type.Optional(StorageObject),
  username_proofs: Type.Optional(StorageObject),
  signers: Type.Optional(StorageObject),
})

/** A rent of storage. */
export const StorageAllocation = namedObject('StorageAllocation', {
  object: Type.Optional(Type.String({ examples: ['storage_allocation'] })),
  user: Type.Optional(UserDehydrated),
  units: Type.Optional(units),
  expiry: Type.Optional(DateTime),
  timestamp: Type.Optional(DateTime),
})

export const StorageAllocationsResponse = namedObject('StorageAllocationsResponse', {
  total_active_units: Type.Optional(units),
  allocations: Type.Optional(Type.Array(StorageAllocation)),
})
export type StorageAllocationsResponse = Static<typeof StorageAllocationsResponse>
