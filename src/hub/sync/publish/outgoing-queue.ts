import type { Database } from '../../../platform/db/connection.js'
import { HOUR_SECONDS } from '../../../platform/durations.js'
import { decodeStoredMessage } from '../../../protocol/codec.js'
import { MessageType } from '../../../protocol/definitions.js'
import type { SignedMessage } from '../../../protocol/message.js'
import { conflictKeyOf } from '../../merge/merge-message.js'

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
/** Refused ones among them, which are offered again. */
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

/** Messages that others take back. */
const removableTypes: ReadonlySet<MessageType> = new Set([
  MessageType.CAST_ADD,
  MessageType.REACTION_ADD,
  MessageType.LINK_ADD,
  MessageType.VERIFICATION_ADD_ETH_ADDRESS,
])

/**
 * Deletes messages that were taken back or replaced, and returns the others. What took them back may not have been published, as while
 * PUBLISH_UPSTREAM was off: the network would show for ever what its user has deleted.
 */
export async function forgetRemoved(
  db: Database,
  outgoing: readonly OutgoingMessage[],
): Promise<readonly OutgoingMessage[]> {
  const removable = outgoing.flatMap(({ id, message }) => {
    const conflictKey = removableTypes.has(message.data.type) ? conflictKeyOf(message) : null
    return conflictKey === null ? [] : [{ id, hash: message.hash, ...conflictKey }]
  })
  if (removable.length === 0) return outgoing
  const removed = await db<{ id: number }[]>`
    delete from hub.outgoing_messages
    where id = any (array(
      select waiting.id
      from unnest(
        ${removable.map(({ id }) => id)}::bigint[],
        ${removable.map(({ fid }) => fid)}::bigint[],
        ${removable.map(({ set }) => set)}::smallint[],
        ${db.types.byteas(removable.map(({ key }) => key))}::bytea[],
        ${db.types.byteas(removable.map(({ hash }) => hash))}::bytea[]
      ) as waiting (id, fid, set, key, hash)
      where not exists (
        select from hub.messages m
        where m.fid = waiting.fid and m.set = waiting.set and m.key = waiting.key and m.hash = waiting.hash
      )
        -- What fell out of a full set here may have room there, unless it was taken back later.
        and (
          not exists (select from hub.pruned_messages p where p.hash = waiting.hash)
            or exists (
              select from hub.messages m
              where m.fid = waiting.fid and m.set = waiting.set and m.key = waiting.key
            )
        )
    ))
    returning id
  `
  const removedIds = new Set(removed.map(({ id }) => id))
  return outgoing.filter(({ id }) => !removedIds.has(id))
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

/** Messages by state, and the oldest that waits. */
interface OutgoingMeasures {
  readonly pending: number
  readonly refused: number
  readonly oldestSeconds: number
  /** Null without one that waits. */
  readonly oldestAt: Date | null
}

/** Counts messages by state, and reads the age of the oldest that waits. */
export async function measureOutgoing(db: Database): Promise<OutgoingMeasures> {
  const [row] = await db<OutgoingMeasures[]>`
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
      ) as "oldestSeconds",
      (
        select merged_at from hub.outgoing_messages where refused_at is null order by id limit 1
      ) as "oldestAt"
  `
  return row!
}
