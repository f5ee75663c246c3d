import { randomUUID } from 'node:crypto'
import { Type } from '@sinclair/typebox'
import { fidParameter } from '../../../api/parameters.js'
import type { Hydrator } from '../../../graph/cache/hydrator.js'
import { dateTimeOf } from '../../../graph/view/formats.js'
import type { UserDehydrated } from '../../../graph/view/schema/user-dehydrated.js'
import { readStorageUsage, type StorageUsage } from '../../../hub/query/storage.js'
import { limitsOf } from '../../../hub/storage-limits.js'
import type { Database } from '../../../platform/db/connection.js'
import { isRefusal, PlazaError, refusalError } from '../../../platform/errors.js'
import { MessageSet } from '../../../protocol/message-kind.js'
import {
  insufficientFundsText,
  payingWallet,
  unknownWallet,
  walletHeaders,
} from '../../accounts/routes/paying-wallet.js'
import { defineOperation, type OperationContext } from '../../operation.js'
import { idemConflict, idemMember } from '../../publishing/idem.js'
import { StorageAllocationsResponse, type StorageObject, StorageUsageResponse } from '../schema/storage.js'

const unknownUser = 'There is no user with this fid.'
const fidQuery = Type.Object({ fid: fidParameter({ minimum: 0, description: 'Fid of the user.' }) })

async function storageUser(hydrator: Hydrator, fid: number): Promise<UserDehydrated> {
  const users = await hydrator.dehydratedUsers([fid])
  const user = users.get(fid)
  if (!user) throw new PlazaError('not_found', `there is no user with fid ${fid}`, { property: 'fid' })
  return user
}

/** The limit of keys on chain, whatever the storage: `maxKeysPerFid` of the key registry. */
const MAX_SIGNERS = 1_000

/** A rent of storage units. Times are Unix seconds. */
interface RentRow {
  readonly units: number
  readonly rentedAt: number
  readonly expiresAt: number
}

/** Reads all rents of a user, newest first. */
async function readRents(db: Database, fid: number): Promise<RentRow[]> {
  return await db<RentRow[]>`
    select units, rented_at as "rentedAt", expires_at as "expiresAt"
    from hub.storage_rents
    where fid = ${fid}::bigint
    order by block_number desc, log_index desc`
}

/** Counts the active keys of a user. */
async function countSigners(db: Database, fid: number): Promise<number> {
  const [row] = await db<{ signers: number }[]>`
    select count(*)::integer as signers from hub.signers where fid = ${fid}::bigint and active`
  return row?.signers ?? 0
}

export const storageUsage = defineOperation({
  method: 'GET',
  path: 'storage/usage',
  isPublic: true,
  tag: 'Storage',
  summary: 'Lookup storage usage of user',
  description:
    '`total_active_units` counts unexpired units, as `storage/allocations` does. `capacity` is what they allow, ' +
    'without units that are lent and with borrowed ones. Signers are limited by the key registry instead of storage.',
  query: fidQuery,
  reply: StorageUsageResponse,
  notFound: unknownUser,

  async handle({ db, hydrator, clock }, { fid }) {
    const [user, use, signers] = await Promise.all([
      storageUser(hydrator, fid),
      readStorageUsage(db, fid, Math.floor(clock() / 1000)),
      countSigners(db, fid),
    ])
    const { legacy, y2024, y2025 } = use.rented
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

export const storageAllocations = defineOperation({
  method: 'GET',
  path: 'storage/allocations',
  isPublic: true,
  tag: 'Storage',
  summary: 'Lookup storage allocations of user',
  description: 'All rents of storage, newest first. `total_active_units` counts units that have not expired.',
  query: fidQuery,
  reply: StorageAllocationsResponse,
  notFound: unknownUser,

  handle: (context, { fid }) => allocationsOf(context, fid),
})

/** Reads the storage rents of a user. Throws `not_found` if there is no such user. */
async function allocationsOf(
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

/** More is likely a mistake: at the prices of the real contracts it costs thousands of dollars. */
const MAX_UNITS = 1_000

/** The body of `POST storage/buy`, as published clients send it. */
export const BuyStorageReqBody = Type.Object({
  fid: fidParameter({ description: 'Fid of the user.' }),
  units: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_UNITS,
      description: 'Number of units, by default 1. Each lasts a year.',
    }),
  ),
  idem: idemMember,
})

/** Time to reply before the limit of the request, whose 503 has no `idem`. */
const MAX_WAIT_MS = 90_000
const MAX_REQUEST_MS = 120_000

export const buyStorage = defineOperation({
  method: 'POST',
  path: 'storage/buy',
  tag: 'Storage',
  summary: 'Buy storage for user',
  description:
    'Rents storage units, paid by the wallet, and returns the allocations of the user afterwards, as ' +
    '`storage/allocations` does. Requests with the same `idem` pay once; without it, each request rents ' +
    'more.',
  body: BuyStorageReqBody,
  headers: walletHeaders,
  longWait: { limitMs: MAX_REQUEST_MS, reason: 'blocks to include the purchase' },
  reply: StorageAllocationsResponse,
  notFound: `${unknownWallet} Or: ${unknownUser}`,
  paymentRequired: insufficientFundsText,
  conflict: idemConflict,

  async handle(context, { fid, units = 1, idem: givenIdem }, { appId }, headers) {
    const untilMs = performance.now() + MAX_WAIT_MS
    const idem = givenIdem ?? randomUUID()
    const { accounts, wallet } = await payingWallet(context, headers, appId)
    await storageUser(context.hydrator, fid)
    const bought = await accounts.ledger.buy({
      walletId: wallet.id,
      purpose: `storage ${appId} ${idem}`,
      requestKey: JSON.stringify([wallet.id, fid, units]),
      retryText:
        givenIdem === undefined
          ? `send it again with the idem "${idem}"; without it, it would be bought again`
          : 'send it again with the same idem; without it, it would be bought again',
      untilMs,
      call: { kind: 'rent', fid, units },
    })
    if (isRefusal(bought)) throw refusalError(bought)
    return await allocationsOf({ ...context, db: context.writerDb }, fid)
  },
})
