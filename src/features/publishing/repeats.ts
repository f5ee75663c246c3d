import { createHash } from 'node:crypto'
import type { Database } from '../../platform/db/connection.js'
import { PlazaError, type Refusal } from '../../platform/errors.js'
import { decodeStoredMessage, encodeMessage } from '../../protocol/codec.js'
import type { SignedMessage } from '../../protocol/message.js'
import { MessageSet } from '../../protocol/message-kind.js'
import type { Publisher } from './author.js'
import { isDuplicate, isOvertaken, refusedBy } from './refusal.js'

/** A request that the app may repeat: the same `idem` means the same request. */
export interface RepeatableRequest {
  readonly appId: string
  readonly idem: string
  /** Operation and body, without `idem`: JSON. */
  readonly asked: object
}

/** What a request comes to: a message to publish, if one is needed, and the answer, JSON. */
export interface Prepared {
  readonly message: SignedMessage | null
  readonly answer: string
}

/** How long an answer is kept at least. Long enough for any retry; a client that comes back later has another reason. */
export const KEPT_HOURS = 24

/** Other messages of the user get in the way this often, at most. */
const MAX_ATTEMPTS = 20

/**
 * Publishes once, however often it is asked under the same `idem`: together, one after the other, or after this
 * process has died in between. The signed message is stored before it is submitted, and a repeat submits the very
 * same one, which the hub merges once.
 *
 * @param prepare Makes the message; told how many of its messages could not stand, from 0 on.
 * @param explain What the hub has refused, as the failure of the request.
 * @returns The answer of the first time.
 * @throws PlazaError `conflict` when the `idem` was given to another request; what `prepare` throws and what the hub
 * refuses, after which the `idem` is free again; `unavailable`, after which a repeat goes on where this one ended.
 */
export async function publishOnce(
  publisher: Publisher,
  request: RepeatableRequest,
  prepare: (attempt: number) => Promise<Prepared>,
  explain: (refusal: Refusal) => PlazaError = refusedBy,
): Promise<string> {
  const { writerDb, hub } = publisher
  for (let attempt = 0; ; attempt += 1) {
    const known = await findRequest(writerDb, request)
    if (known) return await repeat(publisher, request, known, explain)
    const prepared = await prepare(attempt)
    if (!(await claim(publisher, request, prepared))) {
      if (attempt < MAX_ATTEMPTS) continue
      throw new PlazaError('unavailable', 'too many requests say the same at the same time')
    }
    if (prepared.message === null) return prepared.answer
    const [refusal = null] = await hub.submit([prepared.message], { signedHere: true })
    if (refusal === null || isDuplicate(refusal)) {
      await finish(writerDb, request)
      return prepared.answer
    }
    if (refusal.code !== 'unavailable') await release(writerDb, request)
    if (!isOvertaken(refusal) || attempt === MAX_ATTEMPTS) throw explain(refusal)
  }
}

/** Forgets answers that are old enough. */
export async function dropOldRequests(db: Database, nowMs: number): Promise<void> {
  await db`
    delete from publish.requests
    where created_at < to_timestamp(${nowMs / 1000}::double precision) - make_interval(hours => ${KEPT_HOURS})
  `
}

interface KnownRequest {
  requestHash: Buffer
  message: Buffer | null
  answer: string
  isDone: boolean
}

/** What was merged once may have been taken back or replaced since: that is no reason to say it again. */
async function repeat(
  { writerDb, hub }: Publisher,
  request: RepeatableRequest,
  known: KnownRequest,
  explain: (refusal: Refusal) => PlazaError,
): Promise<string> {
  if (!known.requestHash.equals(hashOf(request.asked))) {
    throw new PlazaError('conflict', 'this idem was given to another request', { property: 'idem' })
  }
  if (known.isDone || known.message === null) return known.answer
  const [refusal = null] = await hub.submit([decodeStoredMessage(known.message)])
  if (refusal !== null && !isDuplicate(refusal) && !isOvertaken(refusal)) throw explain(refusal)
  await finish(writerDb, request)
  return known.answer
}

async function findRequest(
  db: Database,
  { appId, idem }: RepeatableRequest,
): Promise<KnownRequest | undefined> {
  const [row] = await db<KnownRequest[]>`
    select request_hash as "requestHash", message, answer, is_done as "isDone"
    from publish.requests
    where app_id = ${appId} and idem = ${idem}
  `
  return row
}

/** False when the `idem` is taken by now, or the cast, which then is another request's. */
async function claim(
  { writerDb, clock }: Publisher,
  { appId, idem, asked }: RepeatableRequest,
  { message, answer }: Prepared,
): Promise<boolean> {
  const castHash = message?.data.castAddBody ? message.hash : null
  const rows = await writerDb`
    insert into publish.requests (
      app_id, idem, request_hash, message, cast_hash, answer, is_done, created_at
    )
    select
      ${appId}::uuid, ${idem}, ${hashOf(asked)}::bytea, ${message && encodeMessage(message)}::bytea,
      ${castHash}::bytea, ${answer}, ${message === null}, to_timestamp(${clock() / 1000}::double precision)
    where not exists (
      select from hub.messages
      where fid = ${message?.data.fid ?? 0}::bigint and set = ${MessageSet.casts} and key = ${castHash}::bytea
    )
    on conflict do nothing
    returning 1
  `
  return rows.length > 0
}

async function finish(db: Database, { appId, idem }: RepeatableRequest): Promise<void> {
  await db`update publish.requests set is_done = true where app_id = ${appId} and idem = ${idem}`
}

async function release(db: Database, { appId, idem }: RepeatableRequest): Promise<void> {
  await db`delete from publish.requests where app_id = ${appId} and idem = ${idem} and not is_done`
}

/** The order of members makes no other request. */
function hashOf(asked: object): Buffer {
  return createHash('sha256').update(canonical(asked)).digest()
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`).join(',')}}`
}
