import { createHash } from 'node:crypto'
import type { Database } from '../../platform/db/connection.js'
import { PlazaError, type Refusal } from '../../platform/errors.js'
import { decodeStoredMessage, encodeMessage } from '../../protocol/codec.js'
import type { SignedMessage } from '../../protocol/message.js'
import { MessageSet } from '../../protocol/message-kind.js'
import type { Publisher } from './author.js'
import { isDuplicate, isSuperseded, refusalError } from './refusal.js'

/** A request that the app may repeat: the same `idem` means the same request. */
export interface IdempotentRequest {
  readonly appId: string
  readonly idem: string
  /** Operation and body, without `idem`: JSON. */
  readonly content: object
}

/** What a request comes to: a message to publish, if one is needed, and the answer, JSON. */
export interface PreparedPublication {
  readonly message: SignedMessage | null
  readonly replyFor: string
}

/** How long an answer is kept at least. Long enough for any retry; a client that comes back later has another reason. */
export const RETENTION_HOURS = 24

/** Other messages of the user get in the way this often, at most. */
const MAX_ATTEMPTS = 20

/**
 * Publishes once, however often it is asked under the same `idem`: together, one after the other, or after this
 * process has died in between. The signed message is stored before it is submitted, and a repeat submits the very
 * same one, which the hub merges once.
 *
 * @param prepare Makes the message; told how many of its messages could not stand, from 0 on.
 * @param toError What the hub has refused, as the failure of the request.
 * @returns The answer of the first time.
 * @throws PlazaError `conflict` when the `idem` was given to another request; what `prepare` throws and what the hub
 * refuses, after which the `idem` is free again; `unavailable`, after which a repeat goes on where this one ended.
 */
export async function publishOnce(
  publisher: Publisher,
  request: IdempotentRequest,
  prepare: (attempt: number) => Promise<PreparedPublication>,
  toError: (refusal: Refusal) => PlazaError = refusalError,
): Promise<string> {
  const { writerDb, hub } = publisher
  for (let attempt = 0; ; attempt += 1) {
    const stored = await findRequest(writerDb, request)
    if (stored) return await replayRequest(publisher, request, stored, toError)
    const prepared = await prepare(attempt)
    if (!(await claimKey(publisher, request, prepared))) {
      if (attempt < MAX_ATTEMPTS) continue
      throw new PlazaError('unavailable', 'too many requests say the same at the same time')
    }
    if (prepared.message === null) return prepared.replyFor
    const [refusal = null] = await hub.submit([prepared.message], { signedLocally: true })
    if (refusal === null || isDuplicate(refusal)) {
      await markDone(writerDb, request)
      return prepared.replyFor
    }
    if (refusal.code !== 'unavailable') await releaseKey(writerDb, request)
    if (!isSuperseded(refusal) || attempt === MAX_ATTEMPTS) throw toError(refusal)
  }
}

/** Forgets answers that are old enough. */
export async function deleteExpiredRequests(db: Database, nowMs: number): Promise<void> {
  await db`
    delete from publish.requests
    where created_at < to_timestamp(${nowMs / 1000}::double precision) - make_interval(hours => ${RETENTION_HOURS})
  `
}

interface StoredRequest {
  requestHash: Buffer
  message: Buffer | null
  answer: string
  isDone: boolean
}

/** What was merged once may have been taken back or replaced since: that is no reason to say it again. */
async function replayRequest(
  { writerDb, hub }: Publisher,
  request: IdempotentRequest,
  stored: StoredRequest,
  toError: (refusal: Refusal) => PlazaError,
): Promise<string> {
  if (!stored.requestHash.equals(contentHash(request.content))) {
    throw new PlazaError('conflict', 'this idem was given to another request', { property: 'idem' })
  }
  if (stored.isDone || stored.message === null) return stored.answer
  const [refusal = null] = await hub.submit([decodeStoredMessage(stored.message)])
  if (refusal !== null && !isDuplicate(refusal) && !isSuperseded(refusal)) throw toError(refusal)
  await markDone(writerDb, request)
  return stored.answer
}

async function findRequest(
  db: Database,
  { appId, idem }: IdempotentRequest,
): Promise<StoredRequest | undefined> {
  const [row] = await db<StoredRequest[]>`
    select request_hash as "requestHash", message, answer, is_done as "isDone"
    from publish.requests
    where app_id = ${appId} and idem = ${idem}
  `
  return row
}

/** False when the `idem` is taken by now, or the cast, which then is another request's. */
async function claimKey(
  { writerDb, clock }: Publisher,
  { appId, idem, content }: IdempotentRequest,
  { message, replyFor }: PreparedPublication,
): Promise<boolean> {
  const castHash = message?.data.castAddBody ? message.hash : null
  const rows = await writerDb`
    insert into publish.requests (
      app_id, idem, request_hash, message, cast_hash, answer, is_done, created_at
    )
    select
      ${appId}::uuid, ${idem}, ${contentHash(content)}::bytea, ${message && encodeMessage(message)}::bytea,
      ${castHash}::bytea, ${replyFor}, ${message === null}, to_timestamp(${clock() / 1000}::double precision)
    where not exists (
      select from hub.messages
      where fid = ${message?.data.fid ?? 0}::bigint and set = ${MessageSet.casts} and key = ${castHash}::bytea
    )
    on conflict do nothing
    returning 1
  `
  return rows.length > 0
}

async function markDone(db: Database, { appId, idem }: IdempotentRequest): Promise<void> {
  await db`update publish.requests set is_done = true where app_id = ${appId} and idem = ${idem}`
}

async function releaseKey(db: Database, { appId, idem }: IdempotentRequest): Promise<void> {
  await db`delete from publish.requests where app_id = ${appId} and idem = ${idem} and not is_done`
}

/** The order of members makes no other request. */
function contentHash(content: object): Buffer {
  return createHash('sha256').update(canonicalJson(content)).digest()
}

function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`).join(',')}}`
}
