import type { Transaction } from '../../platform/db/connection.js'
import { isWebAddress } from '../../platform/text/is-web-address.js'
import { storableText } from '../../platform/text/storable-text.js'
import { decodeStoredMessage } from '../../protocol/codec.js'
import { ChannelModerateAction, MessageType } from '../../protocol/definitions.js'
import type { SignedMessage } from '../../protocol/message.js'
import { ChannelMemberState } from '../../protocol/proto/generated/channel_requests.js'
import { unixSecondsFromFarcasterSeconds } from '../../protocol/time.js'

/** Identifies a slot of a channel: `hub.channel_messages` holds the last message of it that arrived. */
export interface ChannelSlotKey {
  readonly type: MessageType
  readonly channelId: Buffer
  /** See `channelSubject`. Null: all slots of the type. */
  readonly subject: Buffer | null
}

/** Unix seconds of the Farcaster epoch. */
const EPOCH = unixSecondsFromFarcasterSeconds(0)

/** Returns the slots as a table of ids and keys, for a statement. */
function slotTable(db: Transaction, slots: readonly ChannelSlotKey[]) {
  return db`(
    select c.id, c.lead_fid, c.protocol_id, slot.key
    from unnest(
      ${db.types.byteas(slots.map(({ channelId }) => channelId))}::bytea[],
      ${db.types.byteas(slots.map(({ subject }) => subject))}::bytea[]
    ) as slot (protocol_id, key)
    join channels.channels c on c.protocol_id = slot.protocol_id
  )`
}

/** Writes members, moderators and bans. The owner has no row: being the owner counts without one. */
export async function writeMembers(db: Transaction, slots: readonly ChannelSlotKey[]): Promise<void> {
  if (slots.length === 0) return
  const affected = slotTable(db, slots)
  const fidOf = (key: string) => db.unsafe(`('x' || encode(${key}, 'hex'))::bit(32)::bigint`)
  for (const table of ['channels.members', 'channels.bans']) {
    await db`
      delete from ${db(table)} m
      using ${affected} a
      where m.channel_id = a.id and (a.key is null or m.fid = ${fidOf('a.key')})
    `
  }
  const current = db`
    ${affected} a
    join hub.channel_messages m on m.channel_id = a.protocol_id and m.type = ${MessageType.CHANNEL_MEMBER}::smallint
      and (a.key is null or m.key = a.key)
  `
  await db`
    insert into channels.members (channel_id, fid, role, member_since)
    select distinct a.id, ${fidOf('m.key')}, case m.state when ${ChannelMemberState.MODERATOR} then 'moderator' else 'member' end,
      m.ts + ${EPOCH}::bigint
    from ${current}
    where m.state in (${ChannelMemberState.MEMBER}, ${ChannelMemberState.MODERATOR}) and ${fidOf('m.key')} <> a.lead_fid
  `
  await db`
    insert into channels.bans (channel_id, fid)
    select distinct a.id, ${fidOf('m.key')}
    from ${current}
    where m.state = ${ChannelMemberState.BANNED} and ${fidOf('m.key')} <> a.lead_fid
  `
  await countMembers(db, slots)
}

/** The moderators of channel `c`, those of the longest membership first, as SQL. */
export function moderatorsOf(db: Transaction) {
  return db`array(
    select m.fid from channels.members m
    where m.channel_id = c.id and m.role = 'moderator'
    order by m.member_since, m.fid
  )`
}

async function countMembers(db: Transaction, slots: readonly ChannelSlotKey[]): Promise<void> {
  await db`
    update channels.channels c
    set member_count = (c.lead_fid <> 0)::integer
          + (select count(*)::integer from channels.members m where m.channel_id = c.id),
        moderator_fids = ${moderatorsOf(db)}
    where c.protocol_id = any (${db.types.byteas(slots.map(({ channelId }) => channelId))}::bytea[])
  `
}

/** Writes which casts are hidden from their channel. */
export async function writeHiddenCasts(db: Transaction, slots: readonly ChannelSlotKey[]): Promise<void> {
  if (slots.length === 0) return
  const affected = slotTable(db, slots)
  await db`
    delete from channels.hidden_casts h
    using ${affected} a
    where h.channel_id = a.id and (a.key is null or h.hash = a.key)
  `
  await db`
    insert into channels.hidden_casts (channel_id, hash)
    select distinct a.id, m.key
    from ${affected} a
    join hub.channel_messages m on m.channel_id = a.protocol_id
      and m.type = ${MessageType.CHANNEL_MODERATE}::smallint and m.state = ${ChannelModerateAction.HIDE}
      and (a.key is null or m.key = a.key)
  `
}

/** Writes name, description and images. A message replaces all of them; without one, imported ones stay. */
export async function writeMetadata(db: Transaction, channels: readonly Buffer[]): Promise<void> {
  const messages = await readSlot(db, MessageType.CHANNEL_UPDATE, channels)
  if (messages.length === 0) return
  const bodies = messages.map(({ data }) => data.channelUpdateBody!)
  await db`
    update channels.channels c
    set name = coalesce(nullif(m.name, ''), c.id),
        description = m.description,
        description_mentions = '{}',
        description_mention_positions = '{}',
        image_url = m.image_url,
        header_image_url = m.header
    from unnest(
      ${db.types.byteas(bodies.map(({ channelId }) => Buffer.from(channelId)))}::bytea[],
      ${db.types.texts(bodies.map(({ name }) => storableText(name ?? '')))}::text[],
      ${db.types.texts(bodies.map(({ description }) => storableText(description ?? '')))}::text[],
      ${db.types.texts(bodies.map(({ imageUrl }) => webAddress(imageUrl)))}::text[],
      ${db.types.texts(bodies.map(({ header }) => webAddress(header)))}::text[]
    ) as m (protocol_id, name, description, image_url, header)
    where c.protocol_id = m.protocol_id
  `
}

/** Writes pinned casts. An empty hash unpins; without a message, an imported pin stays. */
export async function writePins(db: Transaction, channels: readonly Buffer[]): Promise<void> {
  const messages = await readSlot(db, MessageType.CHANNEL_PIN, channels)
  if (messages.length === 0) return
  const bodies = messages.map(({ data }) => data.channelPinBody!)
  await db`
    update channels.channels c
    set pinned_cast_hash = nullif(m.hash, ''::bytea)
    from unnest(
      ${db.types.byteas(bodies.map(({ channelId }) => Buffer.from(channelId)))}::bytea[],
      ${db.types.byteas(bodies.map(({ castHash }) => Buffer.from(castHash)))}::bytea[]
    ) as m (protocol_id, hash)
    where c.protocol_id = m.protocol_id
  `
}

async function readSlot(
  db: Transaction,
  type: MessageType,
  channels: readonly Buffer[],
): Promise<SignedMessage[]> {
  if (channels.length === 0) return []
  const rows = await db<{ message: Buffer }[]>`
    select message from hub.channel_messages
    where channel_id = any (${db.types.byteas(channels)}::bytea[]) and type = ${type}::smallint and key = ''::bytea
  `
  return rows.map(({ message }) => decodeStoredMessage(message))
}

/** Clients load what is shown, so only web addresses are. */
function webAddress(text: string | undefined): string | null {
  return text !== undefined && isWebAddress(text) ? storableText(text) : null
}
