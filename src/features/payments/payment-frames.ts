import { randomUUID } from 'node:crypto'
import type { ChainName } from '../../hub/chain/chains.js'
import type { Database, Queryable, Transaction } from '../../platform/db/connection.js'
import { inPipeline } from '../../platform/db/pipeline.js'
import { DAY_MS } from '../../platform/durations.js'
import { PlazaError } from '../../platform/errors.js'
import { isUuid } from '../../platform/text/uuid.js'
import { bytesOfHex } from '../../protocol/bytes.js'
import { idemConflictError } from '../publishing/idem.js'
import type { PayTransaction, TransactionFrameConfig } from './schema/payment.js'

/** A requested payment. */
export interface PaymentFrame {
  readonly id: string
  readonly config: TransactionFrameConfig
  readonly network: ChainName
  /** 20 bytes. */
  readonly token: Buffer
  readonly receiver: Buffer
  /** In units of the token, as requested. */
  readonly amount: number
  /** In the smallest unit of the token. */
  readonly amountRaw: string
  readonly symbol: string
  readonly expiresAt: Date
  readonly completedAt: Date | null
}

/** A payment to request. */
export interface NewPaymentFrame {
  readonly appId: string
  readonly idem: string | null
  readonly config: TransactionFrameConfig
  readonly to: PayTransaction['to']
  readonly amountRaw: bigint
  readonly symbol: string
  /** The first block whose transfers count. */
  readonly fromBlock: number
  /** Unix milliseconds. */
  readonly nowMs: number
}

/** The NOTIFY channel that wakes followers of payments, in whatever process they are. */
export const paymentChannel = 'payments'

/** How long a payment is waited for. */
const OPEN_DAYS = 7
/** How long after its expiry a payment is followed: only final blocks are read, after an outage much later. */
const FOLLOWED_AFTER_EXPIRY_MS = DAY_MS
/** Open payments of an app. */
const MAX_OPEN = 500
/** Payments of a network that are followed at once: the follower's filter names each. */
const MAX_FOLLOWED = 2_000
/** Most payments in the follower's filter, the oldest: a reorganization may reopen some beyond the limit. */
export const MAX_NAMED = MAX_FOLLOWED + 100
/** Advisory lock: one request at a time counts open payments and adds one. */
const OPEN_PAYMENTS_LOCK = 'open payments'

/**
 * Stores a payment, once per `idem` of the app.
 *
 * @throws PlazaError `conflict` when the `idem` belongs to another request; `bad_request.rate_limited` when too many
 * payments of the app are open, or of all apps on the network, with the time until the first one ends.
 */
export async function createPaymentFrame(db: Database, frame: NewPaymentFrame): Promise<PaymentFrame> {
  const request = { appId: frame.appId, network: frame.to.network, nowMs: frame.nowMs }
  const created = await db.begin(async (transaction) => {
    const [, counts] = await inPipeline([
      transaction`select pg_advisory_xact_lock(hashtextextended(${OPEN_PAYMENTS_LOCK}, 0))`,
      // Runs once the lock is taken, and sees what those before have stored.
      countOpen(transaction, request),
    ])
    checkCounts(counts, request)
    return await insertFrame(transaction, frame)
  })
  return created ?? (await findByIdem(db, frame))!
}

/** Open payments of an app, and of all apps on a network, each with the time when the first of them ends. */
interface OpenCounts {
  readonly open: number
  readonly firstExpiresAt: Date | null
  readonly followed: number
  readonly firstUnfollowedAt: Date | null
}

/** The app and the network of a payment to request, at a time in Unix milliseconds. */
interface OpenPaymentsOf {
  readonly appId: string
  readonly network: ChainName
  readonly nowMs: number
}

/**
 * Refuses a payment beyond the limits before the chain is asked. Requests at the same moment may all pass: `createPaymentFrame`
 * counts them one after the other.
 *
 * @throws PlazaError `bad_request.rate_limited` as `createPaymentFrame`.
 */
export async function checkOpenPayments(db: Queryable, request: OpenPaymentsOf): Promise<void> {
  checkCounts(await countOpen(db, request), request)
}

function countOpen(db: Queryable, { appId, network, nowMs }: OpenPaymentsOf) {
  return db<OpenCounts[]>`
    select
      app.open, app.first as "firstExpiresAt", followed.count as followed,
      followed.first + ${FOLLOWED_AFTER_EXPIRY_MS}::float8 * interval '1 millisecond' as "firstUnfollowedAt"
    from
      (
        select count(*)::integer as open, min(expires_at) as first from payments.frames
        where app_id = ${appId} and completed_at is null and expires_at > ${new Date(nowMs)}
      ) as app,
      (
        select count(*)::integer, min(expires_at) as first from payments.frames
        where ${isFollowed(db, network, nowMs)}
      ) as followed`
}

function checkCounts(
  [counts]: readonly OpenCounts[],
  { network, nowMs }: Pick<OpenPaymentsOf, 'network' | 'nowMs'>,
): void {
  const { open, firstExpiresAt, followed, firstUnfollowedAt } = counts!
  if (open >= MAX_OPEN) {
    const problem = `the app has ${MAX_OPEN} open payments`
    throw new PlazaError('bad_request.rate_limited', problem, {
      retryAfterSeconds: secondsUntil(firstExpiresAt!, nowMs),
    })
  }
  if (followed >= MAX_FOLLOWED) {
    const problem = `all apps together have ${MAX_FOLLOWED} open payments on ${network}: try again later`
    throw new PlazaError('bad_request.rate_limited', problem, {
      retryAfterSeconds: secondsUntil(firstUnfollowedAt!, nowMs),
    })
  }
}

function secondsUntil(time: Date, nowMs: number): number {
  return Math.max(1, Math.ceil((time.getTime() - nowMs) / 1000))
}

/** Returns undefined for an `idem` of the app that is stored already. */
async function insertFrame(db: Transaction, frame: NewPaymentFrame): Promise<PaymentFrame | undefined> {
  const { appId, idem, config, to, nowMs } = frame
  const [created] = await db<PaymentFrame[]>`
    with created as (insert into payments.frames (
      id, app_id, idem, request_key, config, network, token, receiver, amount, amount_raw, symbol, allowlist_fids,
      from_block, created_at, expires_at
    )
    values (
      ${randomUUID()}, ${appId}, ${idem}, ${requestKeyOf(frame)}, ${JSON.stringify(config)}::text::jsonb, ${to.network},
      ${bytesOfHex(to.token_contract_address)}, ${bytesOfHex(to.address)}, ${to.amount}::float8,
      ${String(frame.amountRaw)}::numeric, ${frame.symbol}, ${config.allowlist_fids ?? []}::bigint[],
      ${frame.fromBlock}::bigint, ${new Date(nowMs)}, ${new Date(nowMs + OPEN_DAYS * DAY_MS)}
    )
    on conflict (app_id, idem) do nothing
    returning *)
    select ${frameColumns(db)}, pg_notify(${paymentChannel}, '')::text as woken from created`
  return created
}

/** Finds the payment of an `idem`; null when it is new. @throws PlazaError `conflict` for another request. */
export async function findByIdem(
  db: Queryable,
  frame: Pick<NewPaymentFrame, 'appId' | 'idem' | 'config' | 'to'>,
): Promise<PaymentFrame | null> {
  if (frame.idem === null) return null
  const [found] = await db<(PaymentFrame & { readonly requestKey: string })[]>`
    select ${frameColumns(db)}, request_key as "requestKey" from payments.frames
    where app_id = ${frame.appId} and idem = ${frame.idem}`
  if (found && found.requestKey !== requestKeyOf(frame)) {
    throw idemConflictError()
  }
  return found ?? null
}

/** Reads a payment; null when there is none. */
export async function findPaymentFrame(db: Queryable, id: string): Promise<PaymentFrame | null> {
  if (!isUuid(id)) return null
  const [frame] = await db<PaymentFrame[]>`select ${frameColumns(db)} from payments.frames where id = ${id}`
  return frame ?? null
}

/** SQL for whether a transfer may still complete a payment: the follower may read a block long after its time. */
export function isFollowed(db: Queryable, network: ChainName, nowMs: number) {
  return db`
    network = ${network} and completed_at is null and expires_at > ${new Date(nowMs - FOLLOWED_AFTER_EXPIRY_MS)}`
}

function frameColumns(db: Queryable) {
  return db`
    id, config, network, token, receiver, amount, amount_raw::text as "amountRaw", symbol, expires_at as "expiresAt",
    completed_at as "completedAt"`
}

function requestKeyOf({ config, to }: Pick<NewPaymentFrame, 'config' | 'to'>): string {
  return JSON.stringify([
    config,
    to.address.toLowerCase(),
    to.token_contract_address.toLowerCase(),
    to.network,
    to.amount,
  ])
}
