import { Type } from '@sinclair/typebox'
import { fidParameter } from '../../../api/parameters.js'
import { dateTimeOf } from '../../../graph/view/formats.js'
import { StorageAllocationsResponse } from '../../../graph/view/schema/storage.js'
import type { Database } from '../../../platform/db/connection.js'
import { defineOperation, type OperationContext } from '../../operation.js'
import { storageUser, unknownUser } from './storage-user.js'

/** `GET storage/allocations` */
export const storageAllocations = defineOperation({
  method: 'GET',
  path: 'storage/allocations',
  tag: 'Storage',
  summary: 'What storage was rented for a user',
  description:
    'Every rent there was, the newest first. `total_active_units` counts those that have not expired.',
  query: Type.Object({
    fid: fidParameter({ minimum: 0, description: 'Whose storage.' }),
  }),
  reply: StorageAllocationsResponse,
  notFound: unknownUser,

  handle: (context, { fid }) => allocationsOf(context, fid),
})

/** What storage a user has rented. Throws `not_found` when there is no such user. */
export async function allocationsOf(
  { db, hydrator, clock }: Pick<OperationContext, 'db' | 'hydrator' | 'clock'>,
  fid: number,
): Promise<StorageAllocationsResponse> {
  const [user, rents] = await Promise.all([storageUser(hydrator, fid), readRents(db, fid)])
  const now = clock() / 1000
  const active = rents.filter(({ expiresAt }) => expiresAt > now)
  return {
    total_active_units: active.reduce((sum, { units }) => sum + units, 0),
    allocations: rents.map(({ units, rentedAt, expiresAt }) => ({
      object: 'storage_allocation',
      user,
      units,
      expiry: dateTimeOf(expiresAt),
      timestamp: dateTimeOf(rentedAt),
    })),
  }
}

/** Times are Unix seconds. */
interface RentRow {
  units: number
  rentedAt: number
  expiresAt: number
}

function readRents(db: Database, fid: number): Promise<RentRow[]> {
  return db<RentRow[]>`
    select units, rented_at as "rentedAt", expires_at as "expiresAt"
    from hub.storage_rents
    where fid = ${fid}::bigint
    order by block_number desc, log_index desc`
}
