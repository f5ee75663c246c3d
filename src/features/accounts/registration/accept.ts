import { randomUUID } from 'node:crypto'
import type { Database, Queryable, Transaction } from '../../../platform/db/connection.js'
import { PlazaError } from '../../../platform/errors.js'
import { lockWallet } from '../wallets/wallets.js'
import type { RegisteredSigner, Registration } from './registration.js'

/** A validated registration. */
export type CheckedRegistration = Omit<
  Registration,
  'id' | 'poolEntryId' | 'signer' | 'step' | 'problems' | 'undoneBy'
> & {
  readonly appId: string
  /** The signer of the account, created with the registration when there is none. */
  readonly signer: RegisteredSigner | ((db: Queryable) => Promise<RegisteredSigner>) | null
}

/** SQLSTATE unique_violation. */
const UNIQUE_VIOLATION = '23505'

/**
 * Accepts a registration: the fid becomes used and the name reserved.
 *
 * @param nowMs Unix milliseconds.
 * @returns Its id.
 * @throws PlazaError `conflict.fid_of_another_wallet`; `conflict.fid_hold_expired`; `conflict` when the fid
 * or the name is being registered already.
 */
export async function acceptRegistration(
  db: Database,
  registration: CheckedRegistration,
  nowMs: number,
): Promise<string> {
  return await db
    .begin(async (transaction) => {
      await lockWallet(transaction, registration.walletId)
      const poolEntryId = await markFidUsed(transaction, registration, nowMs)
      return await insertRegistration(transaction, { ...registration, poolEntryId }, nowMs)
    })
    .catch((error: { readonly code?: string }) => {
      if (error.code !== UNIQUE_VIOLATION) throw error
      throw new PlazaError('conflict', 'this name is being registered by another request', {
        property: 'fname',
      })
    })
}

async function markFidUsed(
  db: Transaction,
  { fid, walletId }: Pick<CheckedRegistration, 'fid' | 'walletId'>,
  nowMs: number,
): Promise<string> {
  const [used] = await db<{ id: string }[]>`
    update accounts.fid_pool
    set used_at = ${new Date(nowMs)}
    where fid = ${fid}::bigint and held_by = ${walletId} and used_at is null and held_until > ${new Date(nowMs)}
    returning id`
  if (!used) throw await fidNotHeldError(db, fid, walletId)
  await db`update accounts.wallets set fids_used = fids_used + 1 where id = ${walletId}`
  return used.id
}

/**
 * Checks that a wallet could register a fid now, without side effects.
 *
 * @param nowMs Unix milliseconds.
 * @throws PlazaError As `acceptRegistration`, for a fid that the wallet does not hold.
 */
export async function checkFidHeld(
  db: Queryable,
  { fid, walletId }: Pick<CheckedRegistration, 'fid' | 'walletId'>,
  nowMs: number,
): Promise<void> {
  const held = await db`
    select from accounts.fid_pool
    where fid = ${fid}::bigint and held_by = ${walletId} and used_at is null and held_until > ${new Date(nowMs)}`
  if (held.length === 0) throw await fidNotHeldError(db, fid, walletId)
}

async function fidNotHeldError(db: Queryable, fid: number, walletId: string): Promise<PlazaError> {
  const [row] = await db<{ heldBy: string | null; isUsed: boolean }[]>`
    select held_by as "heldBy", used_at is not null as "isUsed" from accounts.fid_pool where fid = ${fid}::bigint`
  const property = 'fid'
  if (row?.heldBy !== walletId) {
    const message = `fid ${fid} was not handed to this wallet: register with the wallet that has fetched it`
    return new PlazaError('conflict.fid_of_another_wallet', message, { property })
  }
  if (row.isUsed)
    return new PlazaError('conflict', `fid ${fid} was registered by another request`, { property })
  const message = `fid ${fid} was held for ten minutes, which are over: fetch another one`
  return new PlazaError('conflict.fid_hold_expired', message, { property })
}

async function insertRegistration(
  db: Transaction,
  registration: CheckedRegistration & { readonly poolEntryId: string },
  nowMs: number,
): Promise<string> {
  const id = randomUUID()
  const { profile } = registration
  const signer =
    typeof registration.signer === 'function' ? await registration.signer(db) : registration.signer
  const now = new Date(nowMs)
  await db`
    insert into accounts.registrations (
      id, fid, pool_entry_id, wallet_id, app_id, digest, custody_address, signature, deadline, fname,
      signer_id, signer_key, signer_metadata, profile, accepted_at, attempted_at
    )
    values (
      ${id}, ${registration.fid}, ${registration.poolEntryId}, ${registration.walletId}, ${registration.appId}, ${registration.digest},
      ${registration.custodyAddress}, ${registration.signature}, ${registration.deadline}, ${registration.fname},
      ${signer?.id ?? null}, ${signer?.key ?? null}, ${signer?.metadata ?? null},
      ${profile === null ? null : JSON.stringify(profile)}::text::jsonb, ${now}, ${now}
    )`
  return id
}

/**
 * Returns the fid of a failed registration to its wallet's hold, after which it is available in the pool.
 *
 * @param nowMs Unix milliseconds.
 */
export async function releaseFid(
  db: Database,
  { id, poolEntryId, walletId }: Pick<Registration, 'id' | 'poolEntryId' | 'walletId'>,
  nowMs: number,
): Promise<void> {
  await db.begin(async (transaction) => {
    const undone = await transaction`
      update accounts.registrations set step = 'undone', finished_at = ${new Date(nowMs)}
      where id = ${id} and step = 'undoing'
      returning id`
    if (undone.length === 0) return
    await transaction`update accounts.fid_pool set used_at = null where id = ${poolEntryId}`
    await transaction`update accounts.wallets set fids_used = fids_used - 1 where id = ${walletId}`
  })
}
