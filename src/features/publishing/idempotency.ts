import { createHash } from 'node:crypto'
import type { Database } from '../../platform/db/connection.js'
import { PlazaError, type Refusal, refusalError } from '../../platform/errors.js'
import { decodeStoredMessage, encodeMessage } from '../../protocol/codec.js'
import type { SignedMessage } from '../../protocol/message.js'
import { MessageSet } from '../../protocol/message-kind.js'
import { isDuplicate, isSuperseded, type Publisher } from './author.js'
import { idemConflictError } from './idem.js'

/** A repeatable request: the same `idem` means the same request. */
export interface IdempotentRequest {
  readonly appId: string
  readonly idem: string
  /** Operation and body without `idem`, as JSON. */
  readonly content: object
}

/** The message to publish, if any, and the reply as JSON. */
export interface PreparedPublication {
  readonly message: SignedMessage | null
  readonly reply: string
}

/** Least time that responses are kept. Later repetitions are new requests. */
export const RETENTION_HOURS = 24

/** Most attempts when other messages of the user conflict. */
const MAX_ATTEMPTS = 20

/**
 * Publishes once per `idem`: for concurrent and later repetitions, and after a crash in between.
 *
 * The signed message is stored before it is submitted. A repetition submits the same message, which the hub
 * merges once.
 *
 * @param prepare Builds the message; its argument is the number of superseded attempts.
 * @throws PlazaError `conflict` when the `idem` belongs to another request; what `prepare` throws and the hub
 * refuses, which frees the `idem`; `unavailable`, after which a repetition resumes.
 */
export async function publishOnce(
  publisher: Publisher,
  request: IdempotentRequest,
  prepare: (attempt: number) => Promise<PreparedPublication>,
  toError: (refusal: Refusal) => PlazaError = refusalError,
): Promise<string> {
  const { writerDb, hub } = publisher
  for (let attempt = 0; ; attempt += 1) {
    const replayed = await replayRequest(publisher, request, toError)
    if (replayed !== null) return replayed
    const prepared = await prepare(attempt)
    if (!(await claimKey(publisher, request, prepared))) {
      if (attempt < MAX_ATTEMPTS) continue
      throw new PlazaError('unavailable', 'too many concurrent requests publish the same content')
    }
    if (prepared.message === null) return prepared.reply
    const [refusal = null] = await hub.submit([prepared.message], { origin: 'signer' })
    if (refusal === null || isDuplicate(refusal)) {
      await markDone(writerDb, request, prepared.message)
      return prepared.reply
    }
    await freeKey(writerDb, request, { refusal, message: prepared.message })
    if (!isSuperseded(refusal) || attempt === MAX_ATTEMPTS) throw toError(refusal)
  }
}

/** Deletes expired responses. */
export async function deleteExpiredRequests(db: Database, nowMs: number): Promise<void> {
  await db`
    delete from publish.requests
    where created_at < to_timestamp(${nowMs / 1000}::double precision) - make_interval(hours => ${RETENTION_HOURS})
  `
}

/**
 * Replays a request; null when it is not stored. Its merged message may be removed or replaced since; it is not
 * published again.
 */
async function replayRequest(
  { writerDb, hub }: Publisher,
  request: IdempotentRequest,
  toError: (refusal: Refusal) => PlazaError,
): Promise<string | null> {
  const { appId, idem, content } = request
  const [stored] = await writerDb<
    { requestHash: Buffer; message: Buffer | null; answer: string; isDone: boolean }[]
  >`
    select request_hash as "requestHash", message, answer, is_done as "isDone"
    from publish.requests
    where app_id = ${appId} and idem = ${idem}
  `
  if (stored === undefined) return null
  if (!stored.requestHash.equals(contentHash(content))) throw idemConflictError()
  if (stored.isDone || stored.message === null) return stored.answer
  const message = decodeStoredMessage(stored.message)
  const [refusal = null] = await hub.submit([message], { origin: 'client' })
  if (refusal !== null && !isDuplicate(refusal) && !isSuperseded(refusal)) {
    await freeKey(writerDb, request, { refusal, message })
    // Its author may have lost what it needs, as storage, since it was published.
    if (!(await isKnownCast(writerDb, message))) throw toError(refusal)
  }
  await markDone(writerDb, request, message)
  return stored.answer
}

/** Whether the message is a cast that is stored, or was and has been removed; false for other messages. */
async function isKnownCast(db: Database, { data, hash }: SignedMessage): Promise<boolean> {
  if (!data.castAddBody) return false
  const rows = await db`
    select from hub.messages
    where fid = ${data.fid}::bigint and set = ${MessageSet.casts}::smallint and key = ${hash}::bytea`
  return rows.length > 0
}

/**
 * Stores the key, as of the later of both clocks: one that is behind would let it expire early. Returns false when the `idem` is
 * taken, or the cast belongs to another request.
 */
async function claimKey(
  { writerDb, clock }: Publisher,
  { appId, idem, content }: IdempotentRequest,
  { message, reply }: PreparedPublication,
): Promise<boolean> {
  const castHash = message?.data.castAddBody ? message.hash : null
  const rows = await writerDb`
    insert into publish.requests (
      app_id, idem, request_hash, message, cast_hash, answer, is_done, created_at
    )
    select
      ${appId}::uuid, ${idem}, ${contentHash(content)}::bytea, ${message && encodeMessage(message)}::bytea,
      ${castHash}::bytea, ${reply}, ${message === null},
      greatest(to_timestamp(${clock() / 1000}::double precision), now())
    where not exists (
      select from hub.messages
      where fid = ${message?.data.fid ?? 0}::bigint and set = ${MessageSet.casts} and key = ${castHash}::bytea
    )
    on conflict do nothing
    returning 1
  `
  return rows.length > 0
}

/**
 * Frees the `idem` of a request whose message was refused, unless another request has it by now. A message that was not judged
 * keeps it, as it may be stored; so does a cast that is.
 */
async function freeKey(
  db: Database,
  { appId, idem }: IdempotentRequest,
  { refusal, message }: { readonly refusal: Refusal; readonly message: SignedMessage },
): Promise<void> {
  if (refusal.code === 'unavailable') return
  await db`
    delete from publish.requests r
    where r.app_id = ${appId} and r.idem = ${idem} and not r.is_done
      and r.message = ${encodeMessage(message)}::bytea
      and not exists (
        select from hub.messages m
        where m.fid = ${message.data.fid}::bigint and m.set = ${MessageSet.casts} and m.key = r.cast_hash
      )
  `
}

/** Notes that the message of a request is merged, unless the `idem` was freed and has another message by now. */
async function markDone(
  db: Database,
  { appId, idem }: IdempotentRequest,
  message: SignedMessage,
): Promise<void> {
  await db`
    update publish.requests
    set is_done = true
    where app_id = ${appId} and idem = ${idem} and message = ${encodeMessage(message)}::bytea
  `
}

/** Hashes the content; the order of members does not matter. */
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
