import type { Transaction } from '../../platform/db/connection.js'
import { type Refusal, refuse } from '../../platform/errors.js'
import { HubEventType, OnChainEvent, OnChainEventType } from '../../protocol/definitions.js'
import { shardOf } from '../../protocol/shard.js'
import { storageUnitOf } from '../storage-limits.js'
import { type ChainState, foldChainEvents } from './chain-state.js'
import { mergeChannelRegistrations } from './channel-registry.js'
import type { PendingEvent } from './state.js'

/** The outcomes of a batch of on-chain events, and the events to log. */
export interface ChainEventsResult {
  /** Aligned with the input. */
  readonly outcomes: (Refusal | null)[]
  readonly events: PendingEvent[]
  /** Events to log where the network has channels. */
  readonly hints: PendingEvent[]
}

/**
 * Stores on-chain events and derives accounts, signers and storage from them. An event is a duplicate if its
 * (fid, type, block, log index) is known (docs/protocol.md §4.10).
 */
export async function mergeChainEvents(
  db: Transaction,
  incoming: readonly OnChainEvent[],
  { shards, network }: { readonly shards: number; readonly network: number },
): Promise<ChainEventsResult> {
  if (incoming.length === 0) return { outcomes: [], events: [], hints: [] }
  const first = new Map<string, OnChainEvent>()
  for (const event of incoming) {
    if (!first.has(chainEventKey(event))) first.set(chainEventKey(event), event)
  }
  const inserted = await insertEvents(db, [...first.values()])
  const fresh = [...first.values()].filter((event) => inserted.has(chainEventKey(event)))
  const freshSet = new Set(fresh)
  const [hints] = await Promise.all([
    mergeChannelRegistrations(db, fresh),
    deriveRents(db, fresh, network),
    deriveAccounts(db, fresh, shards),
  ])
  return {
    outcomes: incoming.map((event) =>
      freshSet.has(event) ? null : refuse('bad_request.duplicate', 'on-chain event has already been merged'),
    ),
    events: fresh
      .sort((a, b) => a.blockNumber - b.blockNumber || a.logIndex - b.logIndex)
      .map((event) => ({
        fid: event.fid,
        body: { type: HubEventType.MERGE_ON_CHAIN_EVENT, onChainEvent: event } as const,
      })),
    hints,
  }
}

function chainEventKey(event: Pick<OnChainEvent, 'fid' | 'type' | 'blockNumber' | 'logIndex'>): string {
  return `${event.fid}/${event.type}/${event.blockNumber}/${event.logIndex}`
}

async function insertEvents(db: Transaction, events: readonly OnChainEvent[]): Promise<Set<string>> {
  const rows = await db<{ fid: number; type: number; block_number: number; log_index: number }[]>`
    insert into hub.onchain_events (fid, type, block_number, log_index, block_time, event)
    select *
    from unnest(
      ${events.map((event) => event.fid)}::bigint[],
      ${events.map((event) => event.type)}::smallint[],
      ${events.map((event) => event.blockNumber)}::bigint[],
      ${events.map((event) => event.logIndex)}::integer[],
      ${events.map((event) => event.blockTimestamp)}::bigint[],
      ${db.types.byteas(events.map((event) => OnChainEvent.encode(event).finish()))}::bytea[]
    )
    on conflict do nothing
    returning fid, type, block_number, log_index
  `
  return new Set(
    rows.map(({ fid, type, block_number, log_index }) =>
      chainEventKey({ fid, type, blockNumber: block_number, logIndex: log_index }),
    ),
  )
}

async function deriveRents(db: Transaction, events: readonly OnChainEvent[], network: number): Promise<void> {
  const rents = events.flatMap((event) => {
    const units = event.storageRentEventBody?.units
    return units ? [{ event, units, unit: storageUnitOf(event.blockTimestamp, network) }] : []
  })
  if (rents.length === 0) return
  await db`
    insert into hub.storage_rents (fid, block_number, log_index, unit_type, units, rented_at, expires_at)
    select *
    from unnest(
      ${rents.map(({ event }) => event.fid)}::bigint[],
      ${rents.map(({ event }) => event.blockNumber)}::bigint[],
      ${rents.map(({ event }) => event.logIndex)}::integer[],
      ${rents.map(({ unit }) => unit.type)}::smallint[],
      ${rents.map(({ units }) => units)}::integer[],
      ${rents.map(({ event }) => event.blockTimestamp)}::bigint[],
      ${rents.map(({ unit }) => unit.expiresAt)}::bigint[]
    )
    on conflict do nothing
  `
}

const accountEvents = [
  OnChainEventType.EVENT_TYPE_ID_REGISTER,
  OnChainEventType.EVENT_TYPE_SIGNER,
  OnChainEventType.EVENT_TYPE_TIER_PURCHASE,
]

/** Folds all events of the affected fids again: correct in every order of arrival, and few rows per fid. */
async function deriveAccounts(
  db: Transaction,
  events: readonly OnChainEvent[],
  shards: number,
): Promise<void> {
  const affectedFids = events.filter((event) => accountEvents.includes(event.type)).map((event) => event.fid)
  if (affectedFids.length === 0) return
  const rows = await db<{ fid: number; event: Buffer }[]>`
    select fid, event
    from hub.onchain_events
    where fid = any (${[...new Set(affectedFids)]}::bigint[]) and type = any (${accountEvents}::smallint[])
  `
  const byFid = new Map<number, OnChainEvent[]>()
  for (const { fid, event } of rows) {
    const fidEvents = byFid.get(fid) ?? []
    fidEvents.push(OnChainEvent.decode(event))
    byFid.set(fid, fidEvents)
  }
  const states = [...byFid].map(([fid, fidEvents]) => foldChainEvents(fid, fidEvents))
  await Promise.all([writeAccounts(db, states, shards), writeSigners(db, states)])
}

async function writeAccounts(db: Transaction, states: readonly ChainState[], shards: number): Promise<void> {
  const identified = states.flatMap(({ fid, identity, proUntil }) =>
    identity ? [{ fid, identity, proUntil }] : [],
  )
  if (identified.length === 0) return
  await db`
    insert into hub.fids (fid, shard, custody_address, recovery_address, registered_at, pro_until)
    select *
    from unnest(
      ${identified.map(({ fid }) => fid)}::bigint[],
      ${identified.map(({ fid }) => shardOf(fid, shards))}::smallint[],
      ${db.types.byteas(identified.map(({ identity }) => identity.custodyAddress))}::bytea[],
      ${db.types.byteas(identified.map(({ identity }) => identity.recoveryAddress))}::bytea[],
      ${identified.map(({ identity }) => identity.registeredAt)}::bigint[],
      ${identified.map(({ proUntil }) => proUntil)}::bigint[]
    )
    on conflict (fid) do update
    set custody_address = excluded.custody_address,
        recovery_address = excluded.recovery_address,
        registered_at = excluded.registered_at,
        pro_until = excluded.pro_until
  `
}

async function writeSigners(db: Transaction, states: readonly ChainState[]): Promise<void> {
  const signers = states.flatMap(({ fid, signers }) => signers.map((signer) => ({ fid, ...signer })))
  if (signers.length === 0) return
  await db`
    insert into hub.signers (fid, key, key_type, active, block_number, log_index, event)
    select *
    from unnest(
      ${signers.map(({ fid }) => fid)}::bigint[],
      ${db.types.byteas(signers.map(({ key }) => key))}::bytea[],
      ${signers.map(({ keyType }) => keyType)}::integer[],
      ${db.types.bools(signers.map(({ active }) => active))}::boolean[],
      ${signers.map(({ added }) => added.blockNumber)}::bigint[],
      ${signers.map(({ added }) => added.logIndex)}::integer[],
      ${db.types.byteas(signers.map(({ added }) => OnChainEvent.encode(added).finish()))}::bytea[]
    )
    on conflict (fid, key) do update
    set key_type = excluded.key_type,
        active = excluded.active,
        block_number = excluded.block_number,
        log_index = excluded.log_index,
        event = excluded.event
  `
}
