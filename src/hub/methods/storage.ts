import { StorageUnitType, TierType } from '../../protocol/definitions.js'
import { MessageSet } from '../../protocol/message-kind.js'
import { StorageLimitsResponse, StoreType } from '../../protocol/proto/generated/request_response.js'
import { readStorageUsage, type StorageUsage } from '../query/storage.js'
import { limitsOf } from '../storage-limits.js'
import { fid } from './fields.js'
import { type Reply, readMethod } from './hub-method.js'
import { storageUnitTypeNames, storeTypeNames, tierTypeNames } from './json/enum-names.js'
import { messagesOfSet } from './message-lists.js'

/** The sets in the order of the reference node (docs/protocol.md §2.1). */
const stores = [
  { set: MessageSet.casts, storeType: StoreType.CASTS, name: 'CASTS' },
  { set: MessageSet.links, storeType: StoreType.LINKS, name: 'LINKS' },
  { set: MessageSet.reactions, storeType: StoreType.REACTIONS, name: 'REACTIONS' },
  { set: MessageSet.userData, storeType: StoreType.USER_DATA, name: 'USER_DATA' },
  { set: MessageSet.verifications, storeType: StoreType.VERIFICATIONS, name: 'VERIFICATIONS' },
  { set: MessageSet.usernameProofs, storeType: StoreType.USERNAME_PROOFS, name: 'USERNAME_PROOFS' },
  { set: MessageSet.lends, storeType: StoreType.STORAGE_LENDS, name: 'STORAGE_LENDS' },
] as const

const generations = [
  { generation: 'legacy', unitType: StorageUnitType.UNIT_TYPE_LEGACY },
  { generation: 'y2024', unitType: StorageUnitType.UNIT_TYPE_2024 },
  { generation: 'y2025', unitType: StorageUnitType.UNIT_TYPE_2025 },
] as const

/** The limit of each of a user's sets, and the number of messages in it. */
function storeUsages({ rented, usable, used }: StorageUsage) {
  const limits = limitsOf(usable)
  // Borrowed units cannot be lent on.
  const lendable = limitsOf(rented)[MessageSet.lends]
  return stores.map(({ set, storeType, name }) => ({
    storeType,
    name,
    limit: set === MessageSet.lends ? lendable : limits[set],
    used: used.get(set) ?? 0,
  }))
}

/** The limits of a user's storage (docs/protocol.md §2.1). */
const storageLimits: Reply<StorageUsage> = {
  json: (usage) => ({
    limits: storeUsages(usage).map(({ storeType, ...store }) => ({
      storeType: storeTypeNames[storeType],
      ...store,
      // The reference node no longer fills these two.
      earliestTimestamp: 0,
      earliestHash: [],
    })),
    units: unitsOf(usage),
    unitDetails: generations.map(({ generation, unitType }) => ({
      unitType: storageUnitTypeNames[unitType],
      unitSize: usage.usable[generation],
    })),
    tier_subscriptions: [{ tier_type: tierTypeNames[TierType.Pro], expires_at: usage.proUntil }],
  }),
  protobuf: (usage) =>
    StorageLimitsResponse.encode({
      limits: storeUsages(usage).map((store) => ({
        ...store,
        earliestTimestamp: 0,
        earliestHash: new Uint8Array(),
      })),
      units: unitsOf(usage),
      unitDetails: generations.map(({ generation, unitType }) => ({
        unitType,
        unitSize: usage.usable[generation],
        purchasedUnitSize: usage.rented[generation],
        lentUnitSize: usage.lent[generation],
        borrowedUnitSize: usage.borrowed[generation],
      })),
      tierSubscriptions: [{ tierType: TierType.Pro, expiresAt: usage.proUntil }],
    }).finish(),
}

function unitsOf({ usable }: StorageUsage): number {
  return usable.legacy + usable.y2024 + usable.y2025
}

export const storageMethods = [
  readMethod({
    http: { path: '/storageLimitsByFid', failure: 'Failed to get storage limits' },
    grpc: 'getCurrentStorageLimitsByFid',
    request: { fid },
    reply: storageLimits,
    handle: ({ fid }, { db, clock }) => readStorageUsage(db, fid, Math.floor(clock() / 1000)),
  }),
  messagesOfSet({ grpc: 'getAllLendStorageMessagesByFid', set: MessageSet.lends }),
]
