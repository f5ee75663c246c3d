import { Type } from '@sinclair/typebox'
import { fidParameter } from '../../../api/parameters.js'
import { type StorageObject, StorageUsageResponse } from '../../../graph/view/schema/storage.js'
import { readStorageUsage, type StorageUsage } from '../../../hub/query/storage.js'
import { limitsOf } from '../../../hub/storage-limits.js'
import type { Database } from '../../../platform/db/connection.js'
import { MessageSet } from '../../../protocol/message-kind.js'
import { defineOperation } from '../../operation.js'
import { storageUser, unknownUser } from './storage-user.js'

/** Keys that a user may have on chain, whatever storage there is: `maxKeysPerFid` of the key registry. */
const MAX_SIGNERS = 1_000

/** `GET storage/usage` */
export const storageUsage = defineOperation({
  method: 'GET',
  path: 'storage/usage',
  tag: 'Storage',
  summary: 'How much of its storage a user takes',
  description: [
    '`capacity` is what the units that have not expired are good for, after loans in both directions.',
    'Signers are not bounded by storage, but by the registry of keys.',
  ].join(' '),
  query: Type.Object({
    fid: fidParameter({ minimum: 0, description: 'Whose storage.' }),
  }),
  reply: StorageUsageResponse,
  notFound: unknownUser,

  async handle({ db, hydrator, clock }, { fid }) {
    const [user, use, signers] = await Promise.all([
      storageUser(hydrator, fid),
      readStorageUsage(db, fid, Math.floor(clock() / 1000)),
      countSigners(db, fid),
    ])
    const { legacy, y2024, y2025 } = use.usable
    return {
      object: 'storage_usage',
      user,
      total_active_units: legacy + y2024 + y2025,
      casts: storageOf(MessageSet.casts, use),
      reactions: storageOf(MessageSet.reactions, use),
      links: storageOf(MessageSet.links, use),
      verified_addresses: storageOf(MessageSet.verifications, use),
      username_proofs: storageOf(MessageSet.usernameProofs, use),
      signers: { object: 'storage', used: signers, capacity: MAX_SIGNERS },
    }
  },
})

function storageOf(set: MessageSet, { usable, used }: StorageUsage): StorageObject {
  return { object: 'storage', used: used.get(set) ?? 0, capacity: limitsOf(usable)[set] }
}

async function countSigners(db: Database, fid: number): Promise<number> {
  const [row] = await db<{ signers: number }[]>`
    select count(*)::integer as signers from hub.signers where fid = ${fid}::bigint and active`
  return row?.signers ?? 0
}
