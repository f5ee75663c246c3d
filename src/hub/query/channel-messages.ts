import type { Database, Queryable } from '../../platform/db/connection.js'
import { literal } from '../../platform/db/literal.js'
import { MessageType } from '../../protocol/definitions.js'
import type { PageOptions } from './page.js'

/** The message in a slot of a channel. */
export interface ChannelMessageRow {
  /** Subject of the slot: a member's fid in 4 bytes, or the hash of a moderated cast. */
  readonly subject: Buffer
  /** State of the member, or action of the moderation. */
  readonly state: number
  /** Sender of the message. */
  readonly fid: number
  /** Farcaster seconds. */
  readonly ts: number
  readonly message: Buffer
}

/** Reads the message in one slot; `registered` is false when the registry does not know the channel. */
export async function readSlot(
  db: Database,
  channelId: Buffer,
  type: MessageType,
  subject: Buffer,
): Promise<{ readonly registered: boolean; readonly slot: ChannelMessageRow | null }> {
  const [row] = await db<(ChannelMessageRow | { readonly message: null })[]>`
    select m.key as subject, m.state, m.fid, m.ts, m.message
    from hub.channels c
    left join hub.channel_messages m
      on m.channel_id = c.channel_id and m.type = ${type}::smallint and m.key = ${subject}::bytea
    where c.channel_id = ${channelId}::bytea
  `
  return { registered: row !== undefined, slot: row?.message ? (row as ChannelMessageRow) : null }
}

interface SlotPage extends PageOptions<Buffer> {
  /** Only members in this state; null for all. */
  readonly state: number | null
}

/** A condition of its own for a first page: with `is null or` a generic plan reads all before the position again. */
function isAfter(
  db: Database,
  column: ReturnType<Queryable>,
  { after, reverse }: Pick<PageOptions<Buffer>, 'after' | 'reverse'>,
) {
  if (after === null) return db`true`
  return reverse ? db`${column} < ${after}::bytea` : db`${column} > ${after}::bytea`
}

/** Reads the slots of one type of a channel, by what they are about. */
export async function readSlots(
  db: Database,
  channelId: Buffer,
  type: MessageType.CHANNEL_MEMBER | MessageType.CHANNEL_MODERATE,
  { limit, reverse, after, state }: SlotPage,
): Promise<ChannelMessageRow[]> {
  return await db<ChannelMessageRow[]>`
    select key as subject, state, fid, ts, message
    from hub.channel_messages
    where channel_id = ${channelId}::bytea
      and type = ${type}::smallint
      and ${isAfter(db, db`key`, { after, reverse })}
      and (${state}::smallint is null or state = ${state}::smallint)
    order by key ${reverse ? db`desc` : db`asc`}
    limit ${limit}::bigint
  `
}

/** Reads the member rows of a user in all channels, by channel. */
export async function readMemberships(
  db: Database,
  subject: Buffer,
  { limit, reverse, after }: PageOptions<Buffer>,
): Promise<{ readonly channelId: Buffer; readonly state: number }[]> {
  return await db<{ channelId: Buffer; state: number }[]>`
    select channel_id as "channelId", state
    from hub.channel_messages
    where type = ${literal(db, MessageType.CHANNEL_MEMBER)}
      and key = ${subject}::bytea
      and ${isAfter(db, db`channel_id`, { after, reverse })}
    order by channel_id ${reverse ? db`desc` : db`asc`}
    limit ${limit}::bigint
  `
}
