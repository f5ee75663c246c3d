import type { Queryable } from '../../../platform/db/connection.js'
import { isWorkerDead } from '../../../platform/db/worker-lock.js'

/** Step of a registration. `undone` and `done` are final; from `transferred` on it cannot be undone. */
export type RegistrationStep = 'accepted' | 'keyed' | 'transferred' | 'named' | 'done' | 'undoing' | 'undone'

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
  const [row] = await db<
    RegistrationRow[]
  >`select ${columns(db)} from accounts.registrations where id = ${id}`
  return registrationOf(row!)
}

/** Finds the registration of a fid that was not undone; null when there is none. */
export async function findRegistration(db: Queryable, fid: number): Promise<Registration | null> {
  const [row] = await db<RegistrationRow[]>`
    select ${columns(db)} from accounts.registrations
    where fid = ${fid}::bigint and step <> 'undone'`
  return row ? registrationOf(row) : null
}

/**
 * Lists registrations without a worker: their process died, or their retry is due.
 *
 * @param nowMs Unix milliseconds.
 */
export async function findAbandonedRegistrations(
  db: Queryable,
  {
    nowMs,
    pauseSeconds,
    limit,
  }: { readonly nowMs: number; readonly pauseSeconds: number; readonly limit: number },
): Promise<string[]> {
  const rows = await db<{ id: string }[]>`
    select id from accounts.registrations
    where step not in ('done', 'undone')
      and case
        when worker is null then attempted_at <= ${new Date(nowMs - pauseSeconds * 1000)}
        else ${isWorkerDead(db, db`worker`)}
      end
    order by attempted_at
    limit ${limit}`
  return rows.map(({ id }) => id)
}

/**
 * Claims a registration for this process.
 *
 * @param nowMs Unix milliseconds.
 * @returns False when another process works on it.
 */
export async function claim(db: Queryable, id: string, worker: string, nowMs: number): Promise<boolean> {
  const rows = await db`
    update accounts.registrations
    set worker = ${worker}, attempted_at = ${new Date(nowMs)}
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
  to: RegistrationStep,
  { nowMs, problems = [] }: { readonly nowMs: number; readonly problems?: readonly string[] },
): Promise<void> {
  const isFinalStep = to === 'done' || to === 'undone'
  await db`
    update accounts.registrations
    set step = ${to}, attempted_at = ${new Date(nowMs)},
      problems = problems || ${db.types.texts(problems)}::text[],
      finished_at = ${isFinalStep ? new Date(nowMs) : null}
    where id = ${id} and step = ${from}`
}

function columns(db: Queryable) {
  return db`
    id, fid, pool_entry_id as "poolEntryId", wallet_id as "walletId", digest, custody_address as "custodyAddress", signature,
    deadline, fname, signer_id as "signerId", signer_key as "signerKey", signer_metadata as "signerMetadata", profile,
    step, problems, undone_by as "undoneBy"`
}

function registrationOf({ signerId, signerKey, signerMetadata, ...row }: RegistrationRow): Registration {
  const signer =
    signerId === null || signerKey === null
      ? null
      : { id: signerId, key: signerKey, metadata: signerMetadata }
  return { ...row, signer }
}
