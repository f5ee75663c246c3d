import type { HubEventBody } from '../../hub/log/hub-event.js'
import { readHasChannels } from '../../hub/network.js'
import { selectVerifier } from '../../hub/query/channels.js'
import type { Transaction } from '../../platform/db/connection.js'
import { literal } from '../../platform/db/literal.js'
import { asBuffer } from '../../protocol/bytes.js'
import { channelParentUrlPrefixes } from '../../protocol/channel-uri.js'
import { HubEventType, MessageType, type OnChainEvent, OnChainEventType } from '../../protocol/definitions.js'
import { channelSubject } from '../../protocol/kinds/channel.js'
import type { SignedMessage } from '../../protocol/message.js'
import { channelBodyOf } from '../../protocol/message-kinds.js'
import { CHANNELS_FID } from '../../protocol/shard.js'
import {
  type FollowChanges,
  followChanges,
  projectChannelFollows,
  rebuildChannelFollows,
} from './channel-follows.js'
import {
  type ChannelSlotKey,
  writeHiddenCasts,
  writeMembers,
  writeMetadata,
  writePins,
} from './channel-slots.js'
import type { NetChanges } from './net-changes.js'

/** Channels of one transaction of a rebuild, so that its statements stay small. */
const REBUILD_CHANNELS = 500

/** Changes of a batch of events in channels of the protocol, by their ids in messages. */
export interface ChannelChanges {
  /** Channels whose registration changed. */
  readonly channels: readonly Buffer[]
  /** Other channels, whose owner may have changed. */
  readonly owned: readonly Buffer[]
  /** Slots of other channels. */
  readonly slots: readonly ChannelSlotKey[]
  readonly follows: FollowChanges
  /** All of them. */
  readonly stale: readonly Buffer[]
}

/** Finds what a batch changes of channels of the protocol; nothing where the network has none. */
export async function findChannelChanges(
  db: Transaction,
  bodies: readonly HubEventBody[],
  changes: NetChanges,
): Promise<ChannelChanges> {
  const affected = findAffected(bodies)
  const follows = followChanges(changes)
  const { channels } = affected
  const isProjected = (channelId: Buffer) => channels.some((each) => each.equals(channelId))
  const ofOwners = affected.owners.length === 0 ? [] : await channelsOfOwners(db, affected.owners)
  const owned = ofOwners.filter((channelId) => !isProjected(channelId))
  const slots = affected.slots.filter(({ channelId }) => !isProjected(channelId))
  const followed = [...follows.added, ...follows.removed].map(({ channelId }) => channelId)
  const stale = unique([...channels, ...owned, ...slots.map(({ channelId }) => channelId), ...followed])
  if (stale.length > 0 && (await readHasChannels(db))) return { channels, owned, slots, follows, stale }
  return { channels: [], owned: [], slots: [], follows: { added: [], removed: [] }, stale: [] }
}

/**
 * Projects channels of the protocol (docs/read-model.md). It reads what the same transaction wrote to the hub's
 * tables, and writes those parts of `channels` that the protocol governs. So repetition changes nothing.
 */
export async function projectProtocolChannels(
  db: Transaction,
  { channels, owned, slots, follows, stale }: ChannelChanges,
): Promise<void> {
  await lockChannels(db, stale)
  if (channels.length > 0) await projectChannels(db, channels)
  if (owned.length > 0) await projectOwners(db, owned)
  if (slots.length > 0) await projectSlots(db, slots)
  await projectChannelFollows(db, follows)
}

/**
 * Locks the rows of channels, as every change of one does. Writers of two shards do not see what the other has
 * not committed: the later one projects what the earlier one left.
 */
async function lockChannels(db: Transaction, channels: readonly Buffer[]): Promise<void> {
  await db`
    select from channels.channels
    where protocol_id = any (${db.types.byteas(channels)}::bytea[])
    order by id
    for no key update
  `
}

/** Rebuilds all channels of the protocol, with the writers of all shards locked out. */
export async function rebuildProtocolChannels(db: Transaction): Promise<void> {
  if (!(await readHasChannels(db))) return
  let after: Buffer = Buffer.alloc(0)
  for (;;) {
    const rows = await db<{ channel_id: Buffer }[]>`
      select channel_id from hub.channels
      where channel_id > ${after}::bytea
      order by channel_id
      limit ${REBUILD_CHANNELS}
    `
    const last = rows.at(-1)
    if (!last) break
    await projectChannels(
      db,
      rows.map((row) => row.channel_id),
    )
    after = last.channel_id
  }
}

/** Changes of a batch of events. */
interface Affected {
  /** Channels whose registration changed. */
  readonly channels: Buffer[]
  /** Addresses whose verification changed: the channels of one may have another owner. */
  readonly owners: Buffer[]
  readonly slots: ChannelSlotKey[]
}

function findAffected(bodies: readonly HubEventBody[]): Affected {
  const affected: Affected = { channels: [], owners: [], slots: [] }
  for (const body of bodies) {
    switch (body.type) {
      case HubEventType.MERGE_ON_CHAIN_EVENT: {
        const channelId = registeredChannel(body.onChainEvent)
        if (channelId !== null) affected.channels.push(channelId)
        break
      }
      case HubEventType.MERGE_MESSAGE:
        for (const message of [body.message, ...body.deletedMessages]) addAffected(message, affected)
        break
      case HubEventType.PRUNE_MESSAGE:
      case HubEventType.REVOKE_MESSAGE:
        addAffected(body.message, affected)
        break
      default:
    }
  }
  return { ...affected, channels: unique(affected.channels), owners: unique(affected.owners) }
}

function registeredChannel({ fid, channelRegisterEventBody: body }: OnChainEvent): Buffer | null {
  return fid === CHANNELS_FID && body ? asBuffer(body.label) : null
}

function addAffected(message: SignedMessage, { owners, slots }: Affected): void {
  const { data } = message
  switch (data.type) {
    case MessageType.VERIFICATION_ADD_ETH_ADDRESS:
      owners.push(asBuffer(data.verificationAddAddressBody!.address))
      return
    case MessageType.VERIFICATION_REMOVE:
      owners.push(asBuffer(data.verificationRemoveBody!.address))
      return
    default: {
      const body = channelBodyOf(message)
      if (body === null) return
      const subject = channelSubject(body, data.type)
      slots.push({ type: data.type, channelId: asBuffer(body.channelId), subject })
    }
  }
}

/** Writes channels with all of their slots: also those that imports had before. */
async function projectChannels(db: Transaction, channels: readonly Buffer[]): Promise<void> {
  await createChannels(db, channels)
  await writeOwners(db, channels)
  await writeMembers(db, allSlots(MessageType.CHANNEL_MEMBER, channels))
  await writeMetadata(db, channels)
  await writePins(db, channels)
  await writeHiddenCasts(db, allSlots(MessageType.CHANNEL_MODERATE, channels))
  await rebuildChannelFollows(db, channels)
}

/** Writes owners, and the members of channels whose owner changed: an owner is shown as one without a message. */
async function projectOwners(db: Transaction, channels: readonly Buffer[]): Promise<void> {
  const changed = await writeOwners(db, channels)
  if (changed.length > 0) await writeMembers(db, allSlots(MessageType.CHANNEL_MEMBER, changed))
}

function allSlots(type: MessageType, channels: readonly Buffer[]): ChannelSlotKey[] {
  return channels.map((channelId) => ({ type, channelId, subject: null }))
}

async function projectSlots(db: Transaction, slots: readonly ChannelSlotKey[]): Promise<void> {
  const ofType = (type: MessageType) => slots.filter((slot) => slot.type === type)
  const channelsOf = (type: MessageType) => unique(ofType(type).map(({ channelId }) => channelId))
  await writeMembers(db, ofType(MessageType.CHANNEL_MEMBER))
  await writeMetadata(db, channelsOf(MessageType.CHANNEL_UPDATE))
  await writePins(db, channelsOf(MessageType.CHANNEL_PIN))
  await writeHiddenCasts(db, ofType(MessageType.CHANNEL_MODERATE))
}

/**
 * Creates the channels that the registry has and this server does not, and takes over those that it has. Only
 * keys that are ids of the main API are shown. From now on nobody is restricted or invited but by messages.
 */
async function createChannels(db: Transaction, channels: readonly Buffer[]): Promise<void> {
  await db`
    with registered as (
      select r.channel_id as protocol_id, r.channel_key as id,
        ${channelParentUrlPrefixes.current}::text || r.channel_key as url,
        coalesce(min(e.block_time), 0) as created_at
      from hub.channels r
      left join hub.channel_events c on c.channel_id = r.channel_id
      left join hub.onchain_events e on e.fid = ${CHANNELS_FID}::bigint and e.type = ${literal(db, OnChainEventType.EVENT_TYPE_CHANNEL_REGISTER)}
        and e.block_number = c.block_number and e.log_index = c.log_index
      where r.channel_id = any (${db.types.byteas(channels)}::bytea[])
        and r.channel_key ~ '^[a-z0-9-]{1,16}$'
      group by r.channel_id, r.channel_key
    ), saved as (
      insert into channels.channels (id, url, parent_url, name, lead_fid, created_at, protocol_id)
      select id, url, url, id, 0, created_at, protocol_id from registered
      on conflict (id) do update set protocol_id = excluded.protocol_id
    )
    insert into channels.urls (url, channel_id)
    select url, id from registered
    union all
    select ${channelParentUrlPrefixes.older}::text || id, id from registered
    on conflict do nothing
  `
  await db`
    delete from channels.restricted r
    using channels.channels c
    where c.id = r.channel_id and c.protocol_id = any (${db.types.byteas(channels)}::bytea[])
  `
  await db`
    update channels.invites i
    set state = 'withdrawn', ended_at = extract(epoch from now())::bigint
    from channels.channels c
    where c.id = i.channel_id and i.state = 'invited'
      and c.protocol_id = any (${db.types.byteas(channels)}::bytea[])
  `
}

/**
 * Writes the owner: who verified the registry's address last (docs/protocol.md §7.1); 0 if nobody did. Returns the
 * channels whose owner changed.
 */
async function writeOwners(db: Transaction, channels: readonly Buffer[]): Promise<Buffer[]> {
  const rows = await db<{ channel_id: Buffer }[]>`
    update channels.channels c
    set lead_fid = o.fid
    from (
      select
        r.channel_id,
        coalesce(
          (${selectVerifier(db, db`r.owner_address`)}),
          0
        ) as fid
      from hub.channels r
      where r.channel_id = any (${db.types.byteas(channels)}::bytea[])
    ) o
    where o.channel_id = c.protocol_id and c.lead_fid <> o.fid
    returning c.protocol_id as channel_id
  `
  return rows.map((row) => row.channel_id)
}

async function channelsOfOwners(db: Transaction, owners: readonly Buffer[]): Promise<Buffer[]> {
  const rows = await db<{ channel_id: Buffer }[]>`
    select channel_id from hub.channels where owner_address = any (${db.types.byteas(owners)}::bytea[])
  `
  return rows.map((row) => row.channel_id)
}

function unique(ids: readonly Buffer[]): Buffer[] {
  return [...new Map(ids.map((id) => [id.toString('hex'), id])).values()]
}
