import { type Static, Type } from '@sinclair/typebox'
import { DateTime } from './primitives.js'
import { UserDehydrated } from './user-dehydrated.js'

/** The capacity and use of one kind of storage. */
export const StorageObject = Type.Object(
  {
    object: Type.Optional(Type.String()),
    used: Type.Optional(Type.Integer()),
    capacity: Type.Optional(Type.Integer()),
  },
  { $id: 'StorageObject' },
)
export type StorageObject = Static<typeof StorageObject>

export const StorageUsageResponse = Type.Object(
  {
    object: Type.Optional(Type.String()),
    user: Type.Optional(UserDehydrated),
    total_active_units: Type.Optional(Type.Integer()),
    casts: Type.Optional(StorageObject),
    reactions: Type.Optional(StorageObject),
    links: Type.Optional(StorageObject),
    verified_addresses: Type.Optional(StorageObject),
    username_proofs: Type.Optional(StorageObject),
    signers: Type.Optional(StorageObject),
  },
  { $id: 'StorageUsageResponse' },
)
export type StorageUsageResponse = Static<typeof StorageUsageResponse>

/** One storage rent. */
export const StorageAllocation = Type.Object(
  {
    object: Type.Optional(Type.String()),
    user: Type.Optional(UserDehydrated),
    units: Type.Optional(Type.Integer()),
    expiry: Type.Optional(DateTime),
    timestamp: Type.Optional(DateTime),
  },
  { $id: 'StorageAllocation' },
)
export type StorageAllocation = Static<typeof StorageAllocation>

export const StorageAllocationsResponse = Type.Object(
  {
    total_active_units: Type.Optional(Type.Integer()),
    allocations: Type.Optional(Type.Array(StorageAllocation)),
  },
  { $id: 'StorageAllocationsResponse' },
)
export type StorageAllocationsResponse = Static<typeof StorageAllocationsResponse>
