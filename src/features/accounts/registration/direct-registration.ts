import { randomUUID } from 'node:crypto'
import type { Database, Queryable } from '../../../platform/db/connection.js'
import { isRefusal, PlazaError, refusalError } from '../../../platform/errors.js'
import { bytesOfHex, hexOf } from '../../../protocol/bytes.js'
import { idemConflictError } from '../../publishing/idem.js'
import type { AccountCall, AccountLedger, Receipt } from '../ledger/account-ledger.js'

/** A registration whose keys the developer holds: the register call and the calls that add keys. */
export interface DirectRegistrationRequest {
  readonly appId: string
  readonly walletId: string
  /** The request's idempotency key, or a digest of the request. */
  readonly name: string
  /** SHA-256 of the request. */
  readonly digest: Buffer
  readonly calls: readonly AccountCall[]
}

/** A direct registration and its progress. */
export interface DirectRegistration extends Pick<DirectRegistrationRequest, 'walletId' | 'digest' | 'calls'> {
  readonly id: string
  /** Number of completed calls. */
  readonly done: number
  readonly fid: number | null
  readonly hash: Buffer | null
  /** Descriptions of failed calls. */
  readonly problems: readonly string[]
  /** The signature of the next call has expired: nobody can make it any more. */
  readonly isExpired: boolean
}

/** Delay after which the registration of a wallet without funds is retried, doubled per attempt up to the longest. */
const FIRST_RETRY_SECONDS = 30
const MAX_RETRY_SECONDS = 1_800

/** The clock of a chain may be so far behind that of the database. */
const CHAIN_DELAY_SECONDS = 600

/** Dependencies of direct registrations. */
export interface DirectRegistrationContext {
  readonly db: Database
  readonly ledger: AccountLedger
}

/** Finds an app's direct registration by name; null when there is none. */
export async function findDirectRegistration(
  db: Queryable,
  { appId, name }: Pick<DirectRegistrationRequest, 'appId' | 'name'>,
): Promise<DirectRegistration | null> {
  return await findWhere(db, db`app_id = ${appId} and name = ${name}`)
}

async function findWhere(db: Queryable, condition: ReturnType<Queryable>) {
  const [row] = await db<DirectRegistration[]>`
    select
      id, wallet_id as "walletId", digest, calls::text as calls, done, fid, hash, problems,
      coalesce(
        (calls -> done -> 'holder' ->> 'deadline')::numeric + ${CHAIN_DELAY_SECONDS}::integer < extract(epoch from now()), false
      ) as "isExpired"
    from accounts.direct_registrations
    where ${condition}`
  return row ? { ...row, calls: JSON.parse(String(row.calls), hexAsBytes) } : null
}

/** Lists direct registrations that have been idle for a time, and are due. */
export async function findAbandonedDirectRegistrations(
  db: Queryable,
  { idleMs, limit }: { readonly idleMs: number; readonly limit: number },
): Promise<string[]> {
  const rows = await db<{ id: string }[]>`
    select id from accounts.direct_registrations
    where finished_at is null and next_attempt_at <= now()
      and attempted_at <= now() - ${idleMs}::float8 * interval '1 millisecond'
    order by attempted_at
    limit ${limit}`
  return rows.map(({ id }) => id)
}

/**
 * Accepts a direct registration, once per name.
 *
 * @throws PlazaError `conflict` when the name belongs to another request.
 */
export async function acceptDirectRegistration(
  db: Database,
  request: DirectRegistrationRequest,
): Promise<string> {
  const [row] = await db<{ id: string }[]>`
    insert into accounts.direct_registrations (id, app_id, wallet_id, name, digest, calls, attempted_at)
    values (
      ${randomUUID()}, ${request.appId}, ${request.walletId}, ${request.name}, ${request.digest},
      ${JSON.stringify(request.calls, bytesAsHex)}::text::jsonb, now()
    )
    on conflict (app_id, name) do update set attempted_at = excluded.attempted_at
      where direct_registrations.digest = excluded.digest
    returning id`
  if (row) return row.id
  throw idemConflictError()
}

/**
 * Makes the outstanding purchases of a direct registration.
 *
 * Purchases are idempotent, so any number of processes may run it. A key that the contracts refuse is skipped
 * and reported, since the account exists by then; so is one whose signature has expired while the wallet lacked funds.
 *
 * @throws PlazaError With the reason when the account could not be registered, which frees the name.
 * `insufficient_funds`, until the signature has expired, and `unavailable` leave the registration as it is.
 */
export async function runDirectRegistration(
  context: DirectRegistrationContext,
  id: string,
): Promise<DirectRegistration> {
  const { db } = context
  await db`update accounts.direct_registrations set attempted_at = now() where id = ${id}`
  for (;;) {
    const registration = await findWhere(db, db`id = ${id}`)
    if (registration === null) throw new PlazaError('conflict', 'the registration has failed already')
    const call = registration.calls[registration.done]
    if (call === undefined) return registration
    await makePurchase(context, registration, call)
  }
}

/**
 * Continues a direct registration that nobody waits for. One of a wallet without funds is postponed, each time for longer.
 *
 * @throws PlazaError As `runDirectRegistration`.
 */
export async function retryDirectRegistration(context: DirectRegistrationContext, id: string): Promise<void> {
  try {
    await runDirectRegistration(context, id)
  } catch (error) {
    if (error instanceof PlazaError && error.code === 'insufficient_funds') await postpone(context.db, id)
    throw error
  }
}

async function postpone(db: Queryable, id: string): Promise<void> {
  await db`
    update accounts.direct_registrations
    set failures = failures + 1,
      next_attempt_at = now() + interval '1 second' * least(
        ${MAX_RETRY_SECONDS}::integer, ${FIRST_RETRY_SECONDS}::integer * 2 ^ least(failures, 16)
      )
    where id = ${id}`
}

async function makePurchase(
  { db, ledger }: DirectRegistrationContext,
  { id, walletId, done, isExpired }: DirectRegistration,
  call: AccountCall,
): Promise<void> {
  const result = await ledger.buy({ walletId, purpose: `direct ${id} ${done}`, call })
  if (isRefusal(result) && result.code === 'insufficient_funds' && !isExpired) throw refusalError(result)
  if (isRefusal(result) && done === 0) {
    await db`delete from accounts.direct_registrations where id = ${id} and done = 0`
    throw refusalError(result)
  }
  const { fid, hash }: Partial<Receipt> = isRefusal(result) || done > 0 ? {} : result
  const problems = isRefusal(result) ? [`signer ${done} was not added: ${result.message}`] : []
  await db`
    update accounts.direct_registrations
    set done = done + 1, failures = 0, fid = coalesce(fid, ${fid ?? null}), hash = coalesce(hash, ${hash ?? null}),
      problems = problems || ${db.types.texts(problems)}::text[], attempted_at = now(),
      finished_at = case when done + 1 = jsonb_array_length(calls) then now() end
    where id = ${id} and done = ${done}`
}

/** Replacer that encodes buffers, which JSON sees as `{type, data}`, as hex. */
function bytesAsHex(_name: string, value: unknown): unknown {
  const isBytes = typeof value === 'object' && value !== null && 'type' in value && value.type === 'Buffer'
  return isBytes && 'data' in value ? { hex: hexOf(Buffer.from(value.data as number[])) } : value
}

function hexAsBytes(_name: string, value: unknown): unknown {
  const isHex = typeof value === 'object' && value !== null && 'hex' in value && typeof value.hex === 'string'
  return isHex ? bytesOfHex(value.hex as string) : value
}
