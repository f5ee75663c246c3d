import { randomUUID } from 'node:crypto'
import type { Database, Queryable, Transaction } from '../../../platform/db/connection.js'
import { UNIQUE_VIOLATION } from '../../../platform/db/connection-errors.js'
import { isWorkerDead } from '../../../platform/db/worker-lock.js'
import { HOUR_SECONDS } from '../../../platform/durations.js'
import { PlazaError } from '../../../platform/errors.js'
import { AUTHORIZATION_SECONDS } from '../ledger/signed-authorizations.js'
import { lockWallet } from '../wallets/wallets.js'

/** Step of a registration. `undone` and `done` are final; from `transferred` on it cannot be undone. */
export type RegistrationStep = 'accepted' | ReachedStep | 'undoing' | 'undone'
/** A step that a registration reaches when it goes well. */
export type ReachedStep = 'keyed' | 'transferred' | 'named' | 'done'

/** The registration of an account. */
export interface Registration {
  readonly id: string
  readonly fid: number
  readonly poolEntryId: string
  readonly walletId: string
  /** SHA-256 of the request. */
  readonly digest: Buffer
  /** 20 bytes, with its signature for the transfer, valid until the deadline in Unix seconds. */
  readonly custodyAddress: Buffer
  readonly signature: Buffer
  readonly deadline: number
  readonly fname: string | null
  readonly signer: RegisteredSigner | null
  /** Profile to publish: `ProfileRequest`. */
  readonly profile: Readonly<Record<string, unknown>> | null
  readonly step: RegistrationStep
  /** Descriptions of failed parts. */
  readonly problems: readonly string[]
  /** Code of the error that undid it. */
  readonly undoneBy: string | null
}

/** The signer that an account gets. */
export interface RegisteredSigner {
  readonly id: string
  /** Ed25519, 32 bytes. */
  readonly key: Buffer
  /** The app's signed request; null when the account requests its own key. */
  readonly metadata: Buffer | null
}

type RegistrationRow = Omit<Registration, 'signer'> & {
  readonly signerId: string | null
  readonly signerKey: Buffer | null
  readonly signerMetadata: Buffer | null
}

/** Reads a registration by id. */
export async function readRegistration(db: Queryable, id: string): Promise<Registration> {
  return (await findWhere(db, db`id = ${id}`))!
}

/** Finds the registration of a fid that was not undone; null when there is none. */
export async function findRegistration(db: Queryable, fid: number): Promise<Registration | null> {
  return await findWhere(db, db`fid = ${fid}::bigint and step <> 'undone'`)
}

async function findWhere(db: Queryable, condition: ReturnType<Queryable>): Promise<Registration | null> {
  const [row] = await db<RegistrationRow[]>`
    select id, fid, pool_entry_id as "poolEntryId", wallet_id as "walletId", digest,
      custody_address as "custodyAddress", signature, deadline, fname, signer_id as "signerId",
      signer_key as "signerKey", signer_metadata as "signerMetadata", profile, step, problems,
      undone_by as "undoneBy"
    from accounts.registrations
    where ${condition}`
  if (row === undefined) return null
  const { signerId, signerKey, signerMetadata, ...rest } = row
  const hasSigner = signerId !== null && signerKey !== null
  return { ...rest, signer: hasSigner ? { id: signerId, key: signerKey, metadata: signerMetadata } : null }
}

/** Where and when a process looks for registrations that nobody works on. */
export interface AbandonedSearch {
  readonly worker: string
  /** Ids of those that the worker runs. */
  readonly running: readonly string[]
  /** Milliseconds after which one is retried whose process lives. */
  readonly idleMs: number
  readonly limit: number
}

/**
 * Lists registrations that nobody works on: their process died, or they were idle for a time and are retried. A claim of this
 * process on what it does not run is one that could not be released, or whose reply was lost.
 */
export async function findAbandonedRegistrations(
  db: Queryable,
  { worker, running, idleMs, limit }: AbandonedSearch,
): Promise<string[]> {
  const rows = await db<{ id: string }[]>`
    select id from accounts.registrations
    where step not in ('done', 'undone')
      and id <> all (${db.types.texts(running)}::text[]::uuid[])
      and case
        when worker is null or worker = ${worker}::uuid
          then attempted_at <= now() - ${idleMs}::float8 * interval '1 millisecond'
        else ${isWorkerDead(db, db`worker`)}
      end
    order by attempted_at
    limit ${limit}`
  return rows.map(({ id }) => id)
}

/** Claims a registration for this process. Returns false when another process works on it. */
export async function claim(db: Queryable, id: string, worker: string): Promise<boolean> {
  const rows = await db`
    update accounts.registrations
    set worker = ${worker}, attempted_at = now()
    where id = ${id} and (worker is null or worker = ${worker}::uuid or ${isWorkerDead(db, db`worker`)})
    returning id`
  return rows.length > 0
}

/** Releases the claim on a registration. */
export async function releaseClaim(db: Queryable, id: string, worker: string): Promise<void> {
  await db`update accounts.registrations set worker = null where id = ${id} and worker = ${worker}::uuid`
}

/** Moves a registration from one step to another, unless another process has moved it. */
export async function advance(
  db: Queryable,
  { id }: Pick<Registration, 'id'>,
  from: RegistrationStep,
  to: ReachedStep,
  problems: readonly string[] = [],
): Promise<void> {
  await db`
    update accounts.registrations
    set step = ${to}, attempted_at = now(),
      problems = problems || ${db.types.texts(problems)}::text[],
      finished_at = case when ${to === 'done'} then now() end
    where id = ${id} and step = ${from}`
}

/** A validated registration. */
export type CheckedRegistration = Omit<
  Registration,
  'id' | 'poolEntryId' | 'signer' | 'step' | 'problems' | 'undoneBy'
> & {
  readonly appId: string
  /** The signer of the account, created with the registration when there is none. */
  readonly signer: RegisteredSigner | ((db: Queryable) => Promise<RegisteredSigner>) | null
}

/**
 * Accepts a registration: the fid becomes used and the name reserved.
 *
 * @throws PlazaError `conflict.fid_of_another_wallet`; `conflict.fid_hold_expired`; `conflict` when the fid, the signer
 * or the name is being registered already.
 */
export async function acceptRegistration(db: Database, registration: CheckedRegistration): Promise<string> {
  return await db
    .begin(async (transaction) => {
      await lockWallet(transaction, registration.walletId)
      const poolEntryId = await markFidUsed(transaction, registration)
      return await insertRegistration(transaction, { ...registration, poolEntryId })
    })
    .catch((error: { readonly code?: string }) => {
      if (error.code !== UNIQUE_VIOLATION) throw error
      const message = 'this name is being registered by another request'
      throw new PlazaError('conflict', message, { property: 'fname' })
    })
}

async function markFidUsed(
  db: Transaction,
  { fid, walletId }: Pick<CheckedRegistration, 'fid' | 'walletId'>,
): Promise<string> {
  const [used] = await db<{ id: string }[]>`
    update accounts.fid_pool
    set used_at = now()
    where fid = ${fid}::bigint and held_by = ${walletId} and used_at is null
      and ${isHold(db)}
    returning id`
  if (!used) throw await fidNotHeldError(db, fid, walletId)
  await db`update accounts.wallets set fids_used = fids_used + 1 where id = ${walletId}`
  return used.id
}

/**
 * Checks that a wallet could register a fid now, without side effects.
 *
 * @throws PlazaError As `acceptRegistration`, for a fid that the wallet does not hold.
 */
export async function checkFidHeld(
  db: Queryable,
  { fid, walletId }: Pick<CheckedRegistration, 'fid' | 'walletId'>,
): Promise<void> {
  const held = await db`
    select from accounts.fid_pool
    where fid = ${fid}::bigint and held_by = ${walletId} and used_at is null and ${isHold(db)}`
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

/**
 * Requires a signer without an account: of two, only the first could be acted for. A lock on its row keeps out another
 * registration until this one is stored.
 */
async function requireFreeSigner(db: Transaction, { id, key }: RegisteredSigner): Promise<void> {
  await db`select from signers.signers where id = ${id} for update`
  const uses = await db`
    select from accounts.registrations where signer_id = ${id} and step not in ('done', 'undone')
    union all
    select from hub.signers where key = ${key}::bytea`
  if (uses.length === 0) return
  const message = 'this signer is in another registration: name one of its own for each account'
  throw new PlazaError('conflict', message, { property: 'signer.uuid' })
}

async function signerOf(
  db: Transaction,
  { signer }: Pick<CheckedRegistration, 'signer'>,
): Promise<RegisteredSigner | null> {
  if (typeof signer === 'function') return await signer(db)
  if (signer !== null) await requireFreeSigner(db, signer)
  return signer
}

async function insertRegistration(
  db: Transaction,
  registration: CheckedRegistration & { readonly poolEntryId: string },
): Promise<string> {
  const id = randomUUID()
  const { profile } = registration
  const signer = await signerOf(db, registration)
  await db`
    insert into accounts.registrations (
      id, fid, pool_entry_id, wallet_id, app_id, digest, custody_address, signature, deadline, fname,
      signer_id, signer_key, signer_metadata, profile, accepted_at, attempted_at
    )
    values (
      ${id}, ${registration.fid}, ${registration.poolEntryId}, ${registration.walletId}, ${registration.appId}, ${registration.digest},
      ${registration.custodyAddress}, ${registration.signature}, ${registration.deadline}, ${registration.fname},
      ${signer?.id ?? null}, ${signer?.key ?? null}, ${signer?.metadata ?? null},
      ${profile === null ? null : JSON.stringify(profile)}::text::jsonb, now(), now()
    )`
  return id
}

/** A longer hold than that of a caller (`take-fid.ts`) keeps a fid from everybody, its holder too. */
const MAX_HOLD_SECONDS = HOUR_SECONDS

/** SQL: whether `held_until` is of a caller's hold that lasts. */
function isHold(db: Queryable) {
  return db`(held_until > now() and held_until <= now() + ${MAX_HOLD_SECONDS}::integer * interval '1 second')`
}

/** More than an authorization is valid for, by the clock of a chain. */
const QUARANTINE_SECONDS = AUTHORIZATION_SECONDS + HOUR_SECONDS

/**
 * Returns the fid of a failed registration to its wallet's hold, after which it is available in the pool. If a transaction
 * of it reverted, anybody may still send what the fid's address has signed for it: then nobody gets the fid until that has expired.
 * One that has had a key stays used (`isLostFid`).
 */
export async function releaseFid(
  db: Database,
  { id, poolEntryId, walletId }: Pick<Registration, 'id' | 'poolEntryId' | 'walletId'>,
): Promise<void> {
  await db.begin(async (transaction) => {
    const undone = await transaction`
      update accounts.registrations set step = 'undone', finished_at = now()
      where id = ${id} and step = 'undoing'
      returning id`
    if (undone.length === 0) return
    const returned = await transaction`
      update accounts.fid_pool p
      set used_at = null
      where id = ${poolEntryId} and not exists (select from hub.signers k where k.fid = p.fid)
      returning id`
    if (returned.length === 0) return
    const [reverted] = await transaction`
      select from accounts.transactions
      where wallet_id = ${walletId} and state = 'reverted' and starts_with(purpose, ${`registration ${id} `})
      limit 1`
    if (reverted) {
      await transaction`
        update accounts.fid_pool set held_until = now() + ${QUARANTINE_SECONDS}::integer * interval '1 second'
        where id = ${poolEntryId}`
    }
    await transaction`update accounts.wallets set fids_used = fids_used - 1 where id = ${walletId}`
  })
}

/** Whether a name, in lowercase, is neither taken nor being registered. */
export async function isNameFree(db: Queryable, name: string): Promise<boolean> {
  const holders = await db`
    select from hub.username_proofs where name = ${name} and fid <> 0
    union all
    select from accounts.registrations where fname = ${name} and step not in ('done', 'undone')`
  return holders.length === 0
}
