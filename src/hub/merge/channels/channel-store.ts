import type { Transaction } from '../../../platform/db/connection.js'
import { literal } from '../../../platform/db/literal.js'
import { asBuffer } from '../../../protocol/bytes.js'
import { decodeStoredMessage } from '../../../protocol/codec.js'
import { MessageType } from '../../../protocol/definitions.js'
import { type ChannelBody, channelSubject, memberSubject } from '../../../protocol/kinds/channel.js'
import type { SignedMessage } from '../../../protocol/message.js'
import { MessageSet } from '../../../protocol/message-kind.js'
import { channelBodyOf } from '../../../protocol/message-kinds.js'
import { type ChannelCounts, type ChannelSlot, ChannelState, type Verifier } from './channel-state.js'

interface SlotKey {
  readonly channelId: Buffer
  readonly type: MessageType
  readonly subject: Buffer
}

/** Loads the channels, slots and counts that the messages of a batch read or change: three statements, or none. */
export async function loadChannels(
  db: Transaction,
  messages: readonly SignedMessage[],
): Promise<ChannelState> {
  const state = new ChannelState()
  const slots = messages.flatMap((message) => {
    const body = channelBodyOf(message)
    return body ? slotsOf(message, body) : []
  })
  if (slots.length === 0) return state
  const ids = [...new Map(slots.map((slot) => [slot.channelId.toString('hex'), slot.channelId])).values()]
  const [channels, stored, counts] = await Promise.all([
    selectChannels(db, ids),
    selectSlots(db, slots),
    db<(ChannelCounts & { channelId: Buffer })[]>`
      select channel_id as "channelId", members, moderators, moderations
      from hub.channel_counts
      where channel_id = any (${db.types.byteas(ids)}::bytea[])
    `,
  ])
  const byId = new Map<string, { id: Buffer; owner: Buffer; verifiers: Verifier[] }>()
  for (const { id, owner, fid, ts, hash } of channels) {
    const channel = byId.get(id.toString('hex')) ?? { id, owner, verifiers: [] }
    if (fid !== null) channel.verifiers.push({ fid, ts, hash })
    byId.set(id.toString('hex'), channel)
  }
  for (const channel of byId.values()) state.loadChannel(channel.id, channel)
  for (const slot of stored) state.loadSlot(slotFromRow(slot))
  for (const { channelId, ...channelCounts } of counts) state.loadCounts(channelId, channelCounts)
  return state
}

/** The slots that decide about a message: its own, that of its sender, and the metadata, which says who may join. */
function slotsOf({ data }: SignedMessage, body: ChannelBody): SlotKey[] {
  const channelId = asBuffer(body.channelId)
  return [
    { channelId, type: data.type, subject: channelSubject(body, data.type) },
    { channelId, type: MessageType.CHANNEL_MEMBER, subject: memberSubject(data.fid % 2 ** 32) },
    { channelId, type: MessageType.CHANNEL_UPDATE, subject: Buffer.alloc(0) },
  ]
}

interface StoredChannelRow {
  readonly id: Buffer
  readonly owner: Buffer
  /** Null when nobody has verified the owner's address. */
  readonly fid: number | null
  readonly ts: number
  readonly hash: Buffer
}

function selectChannels(db: Transaction, ids: readonly Buffer[]): Promise<StoredChannelRow[]> {
  return db<StoredChannelRow[]>`
    select c.channel_id as id, c.owner_address as owner, v.fid, v.ts, v.hash
    from hub.channels c
    left join hub.messages v
      on v.set = ${literal(db, MessageSet.verifications)}
      and v.key = c.owner_address
      and v.type = ${MessageType.VERIFICATION_ADD_ETH_ADDRESS}
    where c.channel_id = any (${db.types.byteas(ids)}::bytea[])
  `
}

type SlotRow = Omit<ChannelSlot, 'encoded' | 'message'> & { readonly message: Buffer }

function selectSlots(db: Transaction, slots: readonly SlotKey[]): Promise<SlotRow[]> {
  return db<SlotRow[]>`
    select channel_id as "channelId", type, key as subject, state, fid, ts, hash, message
    from hub.channel_messages
    where (channel_id, type, key) in (
      select *
      from unnest(
        ${db.types.byteas(slots.map(({ channelId }) => channelId))}::bytea[],
        ${slots.map(({ type }) => type)}::smallint[],
        ${db.types.byteas(slots.map(({ subject }) => subject))}::bytea[]
      )
    )
  `
}

function slotFromRow({ message: encoded, ...slot }: SlotRow): ChannelSlot {
  return { ...slot, encoded, message: () => decodeStoredMessage(encoded) }
}

/** Writes the slots and counts that a batch changed: two statements, or none. */
export async function writeChannels(db: Transaction, state: ChannelState): Promise<void> {
  const slots = state.changedSlots()
  const counts = state.changedCounts()
  await Promise.all([
    slots.length > 0 ? upsertSlots(db, slots) : null,
    counts.length > 0 ? upsertCounts(db, counts) : null,
  ])
}

async function upsertSlots(db: Transaction, slots: readonly ChannelSlot[]): Promise<void> {
  await db`
    insert into hub.channel_messages (channel_id, type, key, state, fid, ts, hash, message)
    select *
    from unnest(
      ${db.types.byteas(slots.map(({ channelId }) => channelId))}::bytea[],
      ${slots.map(({ type }) => type)}::smallint[],
      ${db.types.byteas(slots.map(({ subject }) => subject))}::bytea[],
      ${slots.map(({ state }) => state)}::smallint[],
      ${slots.map(({ fid }) => fid)}::bigint[],
      ${slots.map(({ ts }) => ts)}::bigint[],
      ${db.types.byteas(slots.map(({ hash }) => hash))}::bytea[],
      ${db.types.byteas(slots.map(({ encoded }) => encoded))}::bytea[]
    )
    on conflict (channel_id, type, key) do update
    set state = excluded.state,
        fid = excluded.fid,
        ts = excluded.ts,
        hash = excluded.hash,
        message = excluded.message
  `
}

async function upsertCounts(
  db: Transaction,
  changes: readonly { readonly channelId: Buffer; readonly counts: ChannelCounts }[],
): Promise<void> {
  await db`
    insert into hub.channel_counts (channel_id, members, moderators, moderations)
    select *
    from unnest(
      ${db.types.byteas(changes.map(({ channelId }) => channelId))}::bytea[],
      ${changes.map(({ counts }) => counts.members)}::integer[],
      ${changes.map(({ counts }) => counts.moderators)}::integer[],
      ${changes.map(({ counts }) => counts.moderations)}::integer[]
    )
    on conflict (channel_id) do update
    set members = excluded.members,
        moderators = excluded.moderators,
        moderations = excluded.moderations
  `
}
