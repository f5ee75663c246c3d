import type { Database } from '../../../platform/db/connection.js'
import { HOUR_SECONDS } from '../../../platform/durations.js'
import { decodeStoredMessage } from '../../../protocol/codec.js'
import type { SignedMessage } from '../../../protocol/message.js'

/** A message that is to be sent to the upstream. */
export interface OutgoingMessage {
  readonly id: number
  /** Messages of a queue are sent in their order: the fid of their user, or `CHANNELS_FID` for those of channels, of all users. */
  readonly queue: number
  readonly message: SignedMessage
  /** The upstream has refused it before. */
  readonly wasRefused: boolean
}

/** Answer of the upstream to a message. `conflict`: it stores a newer one in its place. */
export type UpstreamAnswer =
  | { readonly kind: 'accepted' | 'duplicate' | 'conflict' }
  | { readonly kind: 'refused'; readonly code: string; readonly text: string }

/** A sent message and its answer. */
export interface Answered {
  readonly outgoing: OutgoingMessage
  readonly answer: UpstreamAnswer
}

/** Messages of one round: at most 13 MB, as none has more than 64 kB. */
const ROUND_MESSAGES = 200
/** Of them, refused ones that are offered again. */
const ROUND_RETRIES = 50
/** The node may not know yet what a message needs: a key, storage, a verification that is not in a block. */
const RETRYABLE_CODE = 'bad_request.validation_failure'
const FIRST_RETRY_SECONDS = 5
/** Time for which refused messages are offered again, with a wait that doubles. */
const RETRY_SECONDS = HOUR_SECONDS
/** Days that refused messages are kept. */
const KEPT_REFUSED_DAYS = 7

/** Reads the messages that were merged first, and due refused ones; none of the queues that wait. */
export async function readOutgoing(db: Database, waiting: readonly number[]): Promise<OutgoingMessage[]> {
  const rows = await db<{ id: number; queue: number; message: Buffer; wasRefused: boolean }[]>`
    (
      select id, fid as queue, message, false as "wasRefused"
      from hub.outgoing_messages
      where refused_at is null and fid <> all (${waiting}::bigint[])
      order by id
      limit ${ROUND_MESSAGES - ROUND_RETRIES}
    )
    union all
    (
      select id, fid, message, true
      from hub.outgoing_messages
      where retry_at <= now() and fid <> all (${waiting}::bigint[])
      order by retry_at
      limit ${ROUND_RETRIES}
    )
    order by id
  `
  return rows.map(({ id, queue, message, wasRefused }) => ({
    id,
    queue,
    message: decodeStoredMessage(message),
    wasRefused,
  }))
}

/** Deletes what the upstream has, and keeps what it refused with the reason. */
export async function settleOutgoing(db: Database, answered: readonly Answered[]): Promise<void> {
  const refused = answered.flatMap(({ outgoing, answer }) =>
    answer.kind === 'refused' ? [{ id: outgoing.id, ...answer }] : [],
  )
  const done = answered.flatMap(({ outgoing, answer }) => (answer.kind === 'refused' ? [] : [outgoing.id]))
  await Promise.all([
    done.length > 0 ? db`delete from hub.outgoing_messages where id = any (${done}::bigint[])` : null,
    refused.length > 0 ? keepRefused(db, refused) : null,
  ])
}

async function keepRefused(
  db: Database,
  refused: readonly { readonly id: number; readonly code: string; readonly text: string }[],
): Promise<void> {
  await db`
    update hub.outgoing_messages m
    -- The first time: a message may have waited long for an upstream that was away.
    set refused_at = coalesce(m.refused_at, now()),
        refusal_code = refused.code,
        refusal = refused.text,
        retry_at = case
          when refused.code = ${RETRYABLE_CODE}
            and coalesce(m.refused_at, now()) > now() - make_interval(secs => ${RETRY_SECONDS})
          then now() + greatest(make_interval(secs => ${FIRST_RETRY_SECONDS}), now() - coalesce(m.refused_at, now()))
        end
    from unnest(
      ${refused.map(({ id }) => id)}::bigint[],
      ${db.types.texts(refused.map(({ code }) => code))}::text[],
      ${db.types.texts(refused.map(({ text }) => text))}::text[]
    ) as refused (id, code, text)
    where m.id = refused.id
  `
}

/** Deletes refused messages after a week. */
export async function deleteRefused(db: Database): Promise<void> {
  await db`
    delete from hub.outgoing_messages
    where refused_at < now() - make_interval(days => ${KEPT_REFUSED_DAYS}::integer)
  `
}

/** Most messages of a state that are counted, which keeps the statement cheap. */
export const MAX_COUNTED = 100_000

/** Counts messages by state, and the age of the oldest that waits. */
export async function measureOutgoing(
  db: Database,
): Promise<{ pending: number; refused: number; oldestSeconds: number }> {
  const [row] = await db<{ pending: number; refused: number; oldestSeconds: number }[]>`
    select
      (
        select count(*)::integer
        from (select from hub.outgoing_messages where refused_at is null limit ${MAX_COUNTED}) counted
      ) as pending,
      (
        select count(*)::integer
        from (select from hub.outgoing_messages where refused_at is not null limit ${MAX_COUNTED}) counted
      ) as refused,
      coalesce(
        (
          select extract(epoch from clock_timestamp() - merged_at)::double precision
          from hub.outgoing_messages
          where refused_at is null
          order by id
          limit 1
        ),
        0
      ) as "oldestSeconds"
  `
  return row!
}
