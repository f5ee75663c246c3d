import {
  FidAddressTypeResponse,
  FidsResponse,
  StorageLimitsResponse,
  StorageUnitType,
  TierType,
} from '@farcaster/core'
import { asBuffer } from '../../../protocol/bytes.js'
import { pageTokens } from '../../page-token.js'
import { readAddressRoles, readFidsByShard } from '../../query/fids.js'
import { readStorageUsage } from '../../query/storage.js'
import { readUsernameProof, readUsernameProofsByFid } from '../../query/username-proofs.js'
import { storeUsages } from '../../stores.js'
import type { HubGrpcApi, RequestOf, UnaryMethod } from './grpc-api.js'
import { method } from './method.js'
import { listReply, pageTokenOf, requireFound } from './replies.js'
import { addressOf, fidOf, pageOf, refusal, requireShard } from './request-fields.js'

/** Who there is, what they are called, and what room they have. */
export const userMethods: readonly UnaryMethod[] = [
  method('getFids', async (request, { db, config }) => {
    const shard = requireShard(request.shardId, config.shards, 'shard_id')
    const { fids, last } = await readFidsByShard(db, shard, pageOf(request, pageTokens.fid))
    const nextPageToken = pageTokenOf(last, pageTokens.fid)
    return FidsResponse.encode({ fids: [...fids], nextPageToken }).finish()
  }),
  method('getUsernameProof', async (request, { db }) => {
    const name = asBuffer(request.name).toString('utf8')
    if (name === '') throw refusal('name', 'is required')
    const notFoundName = name.endsWith('.eth') ? 'ENS username proof' : 'Username proof'
    return requireFound(await readUsernameProof(db, name), `${notFoundName} not found`)
  }),
  method('getUserNameProofsByFid', async ({ fid }, { db }) =>
    listReply(await readUsernameProofsByFid(db, fidOf(fid)), undefined),
  ),
  method('getCurrentStorageLimitsByFid', getStorageLimits),
  method('getFidAddressType', async ({ fid, address }, { db }) => {
    const roles = await readAddressRoles(db, fidOf(fid), addressOf(address))
    return FidAddressTypeResponse.encode({
      isCustody: roles.is_custody,
      isAuth: roles.is_auth,
      isVerified: roles.is_verified,
    }).finish()
  }),
]

async function getStorageLimits(
  request: RequestOf<'getCurrentStorageLimitsByFid'>,
  { db, clock }: HubGrpcApi,
): Promise<Uint8Array> {
  const use = await readStorageUsage(db, fidOf(request.fid), Math.floor(clock() / 1000))
  const { rented, usable, lent, borrowed, proUntil } = use
  const generations = [
    { generation: 'legacy', unitType: StorageUnitType.UNIT_TYPE_LEGACY },
    { generation: 'y2024', unitType: StorageUnitType.UNIT_TYPE_2024 },
    { generation: 'y2025', unitType: StorageUnitType.UNIT_TYPE_2025 },
  ] as const
  return StorageLimitsResponse.encode({
    // The reference node has stopped filling the last two.
    limits: storeUsages(use).map((store) => ({
      ...store,
      earliestTimestamp: 0,
      earliestHash: new Uint8Array(),
    })),
    units: usable.legacy + usable.y2024 + usable.y2025,
    unitDetails: generations.map(({ generation, unitType }) => ({
      unitType,
      unitSize: usable[generation],
      purchasedUnitSize: rented[generation],
      lentUnitSize: lent[generation],
      borrowedUnitSize: borrowed[generation],
    })),
    tierSubscriptions: [{ tierType: TierType.Pro, expiresAt: proUntil }],
  }).finish()
}
