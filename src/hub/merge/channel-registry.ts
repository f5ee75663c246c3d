import type { Transaction } from '../../platform/db/connection.js'
import {
  ChannelOwnerChangeCause,
  ChannelRegisterEventType,
  HubEventType,
  OnChainEvent,
  OnChainEventType,
} from '../../protocol/definitions.js'
import { CHANNELS_FID } from '../../protocol/shard.js'
import { type ChannelRegistration, channelRegistrationOf, foldChannelEvents } from './channel-registration.js'
import type { PendingEvent } from './state.js'

/** Returns true for events of the channels' registry. They lock all shards: hints of others depend on them. */
export function isChannelEvent({ type, fid }: OnChainEvent): boolean {
  return type === OnChainEventType.EVENT_TYPE_CHANNEL_REGISTER && fid === CHANNELS_FID
}

/**
 * Folds all events of the affected channels again, as accounts are (docs/protocol.md §7.1.8).
 *
 * @param fresh Events that this batch stored.
 * @returns A hint for each channel whose registration changed by a registration or transfer.
 */
export async function mergeChannelRegistrations(
  db: Transaction,
  fresh: readonly OnChainEvent[],
): Promise<PendingEvent[]> {
  const effective = fresh.filter((event) => isChannelEvent(event) && channelRegistrationOf(event) !== null)
  if (effective.length === 0) return []
  await insertChannelEvents(db, effective)
  const labels = [...new Map(effective.map((event) => [labelName(event), labelOf(event)])).values()]
  const [before, events] = await Promise.all([selectRegistrations(db, labels), selectEvents(db, labels)])
  const after = new Map(
    [...events].flatMap(([name, ofChannel]) => {
      const registration = foldChannelEvents(ofChannel)
      return registration === null ? [] : [[name, registration] as const]
    }),
  )
  await writeRegistrations(db, [...after.values()])
  return ownerHints(effective, before, after)
}

function labelOf({ channelRegisterEventBody: body }: OnChainEvent): Uint8Array {
  return body!.label
}

function labelName(event: OnChainEvent): string {
  return Buffer.from(labelOf(event)).toString('hex')
}

async function insertChannelEvents(db: Transaction, events: readonly OnChainEvent[]): Promise<void> {
  await db`
    insert into hub.channel_events (channel_id, block_number, log_index)
    select *
    from unnest(
      ${db.types.byteas(events.map((event) => Buffer.from(labelOf(event))))}::bytea[],
      ${events.map(({ blockNumber }) => blockNumber)}::bigint[],
      ${events.map(({ logIndex }) => logIndex)}::integer[]
    )
    on conflict do nothing
  `
}

/** Returns all events of these channels, by label. */
async function selectEvents(
  db: Transaction,
  labels: readonly Uint8Array[],
): Promise<Map<string, OnChainEvent[]>> {
  const rows = await db<{ label: string; event: Buffer }[]>`
    select encode(c.channel_id, 'hex') as label, e.event
    from hub.channel_events c
    join hub.onchain_events e on e.fid = ${CHANNELS_FID}::bigint
      and e.type = ${OnChainEventType.EVENT_TYPE_CHANNEL_REGISTER}::smallint
      and e.block_number = c.block_number and e.log_index = c.log_index
    where c.channel_id = any (${db.types.byteas(labels.map((label) => Buffer.from(label)))}::bytea[])
  `
  const events = new Map<string, OnChainEvent[]>()
  for (const { label, event } of rows) {
    const ofChannel = events.get(label) ?? []
    ofChannel.push(OnChainEvent.decode(event))
    events.set(label, ofChannel)
  }
  return events
}

interface ChannelRegistrationRow {
  readonly label: string
  readonly owner_address: Buffer
  readonly expires_at: number
  readonly block_number: number
  readonly tx_index: number
  readonly log_index: number
}

async function selectRegistrations(
  db: Transaction,
  labels: readonly Uint8Array[],
): Promise<Map<string, ChannelRegistrationRow>> {
  const rows = await db<ChannelRegistrationRow[]>`
    select encode(channel_id, 'hex') as label, owner_address, expires_at, block_number, tx_index, log_index
    from hub.channels
    where channel_id = any (${db.types.byteas(labels.map((label) => Buffer.from(label)))}::bytea[])
  `
  return new Map(rows.map((row) => [row.label, row]))
}

async function writeRegistrations(
  db: Transaction,
  registrations: readonly ChannelRegistration[],
): Promise<void> {
  if (registrations.length === 0) return
  await db`
    insert into hub.channels (
      channel_id, channel_key, owner_address, expires_at, block_number, tx_index, log_index
    )
    select *
    from unnest(
      ${db.types.byteas(registrations.map(({ label }) => label))}::bytea[],
      ${db.types.texts(registrations.map(({ key }) => key))}::text[],
      ${db.types.byteas(registrations.map(({ ownerAddress }) => ownerAddress))}::bytea[],
      ${registrations.map(({ expiry }) => expiry)}::bigint[],
      ${registrations.map(({ last }) => last.blockNumber)}::bigint[],
      ${registrations.map(({ last }) => last.txIndex)}::integer[],
      ${registrations.map(({ last }) => last.logIndex)}::integer[]
    )
    on conflict (channel_id) do update
    set owner_address = excluded.owner_address,
        expires_at = excluded.expires_at,
        block_number = excluded.block_number,
        tx_index = excluded.tx_index,
        log_index = excluded.log_index
  `
}

/** One hint for each changed channel, with its new owner and the last cause of the batch. */
function ownerHints(
  events: readonly OnChainEvent[],
  before: ReadonlyMap<string, ChannelRegistrationRow>,
  after: ReadonlyMap<string, ChannelRegistration>,
): PendingEvent[] {
  const causes = new Map<string, ChannelOwnerChangeCause>()
  const inOrder = [...events].sort((a, b) => a.blockNumber - b.blockNumber || a.logIndex - b.logIndex)
  for (const event of inOrder) {
    const cause = causeOf(event.channelRegisterEventBody!.eventType)
    if (cause === null) continue
    // Deleted first, so that hints are in the order of their causes.
    causes.delete(labelName(event))
    causes.set(labelName(event), cause)
  }
  return [...causes].flatMap(([name, cause]) => {
    const registration = after.get(name)
    if (registration === undefined || isSame(before.get(name), registration)) return []
    const { key: channelKey, ownerAddress } = registration
    const body = { type: HubEventType.CHANNEL_OWNER_CHANGE_HINT, channelKey, ownerAddress, cause } as const
    return [{ fid: CHANNELS_FID, body }]
  })
}

function causeOf(eventType: ChannelRegisterEventType): ChannelOwnerChangeCause | null {
  if (eventType === ChannelRegisterEventType.REGISTER) return ChannelOwnerChangeCause.REGISTER
  return eventType === ChannelRegisterEventType.TRANSFER ? ChannelOwnerChangeCause.TRANSFER : null
}

function isSame(
  before: ChannelRegistrationRow | undefined,
  { ownerAddress, expiry, last }: ChannelRegistration,
): boolean {
  return (
    before?.owner_address.equals(ownerAddress) === true &&
    before.expires_at === expiry &&
    before.block_number === last.blockNumber &&
    before.tx_index === last.txIndex &&
    before.log_index === last.logIndex
  )
}
