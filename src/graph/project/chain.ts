import type { Transaction } from '../../platform/db/connection.js'
import { asBuffer } from '../../protocol/bytes.js'
import { MessageType, OnChainEvent, OnChainEventType, TierType } from '../../protocol/definitions.js'
import type { SignedMessage } from '../../protocol/message.js'

/** Events that change keys or the owner of a fid. */
const keyEvents: ReadonlySet<OnChainEventType> = new Set([
  OnChainEventType.EVENT_TYPE_SIGNER,
  OnChainEventType.EVENT_TYPE_ID_REGISTER,
])

/**
 * Projects users and the apps of their keys. Reads the hub's account tables, which the same transaction has
 * updated, because on-chain events arrive in any order.
 */
export async function projectChain(db: Transaction, events: readonly OnChainEvent[]): Promise<void> {
  const fidsOf = (some: readonly OnChainEvent[]) => [...new Set(some.map((event) => event.fid))]
  await Promise.all([
    projectUsers(db, fidsOf(events)),
    projectSignerApps(db, fidsOf(events.filter(({ type }) => keyEvents.has(type)))),
  ])
}

/** Copies these fids from the hub's tables to `users`. Profiles stay unchanged. */
export async function projectUsers(db: Transaction, fids: readonly number[]): Promise<void> {
  const proSince = await lastProPurchases(db, fids)
  await db`
    insert into users (fid, custody_address, registered_at, pro_since, pro_until)
    select f.fid, f.custody_address, f.registered_at, pro.since, f.pro_until
    from hub.fids f
    left join unnest(
      ${[...proSince.keys()]}::bigint[], ${[...proSince.values()]}::bigint[]
    ) as pro (fid, since) on pro.fid = f.fid
    where f.fid = any (${[...fids]}::bigint[])
    on conflict (fid) do update
    set custody_address = excluded.custody_address,
        registered_at = excluded.registered_at,
        pro_since = excluded.pro_since,
        pro_until = excluded.pro_until
  `
}

/** Loads the block time of the last purchase of the pro tier by fid. Other tiers do not count (docs/protocol.md §4.10). */
async function lastProPurchases(db: Transaction, fids: readonly number[]): Promise<Map<number, number>> {
  const purchases = await db<{ event: Buffer }[]>`
    select event
    from hub.onchain_events
    where fid = any (${[...fids]}::bigint[]) and type = ${OnChainEventType.EVENT_TYPE_TIER_PURCHASE}
  `
  const times = new Map<number, number>()
  for (const row of purchases) {
    const { fid, blockTimestamp, tierPurchaseEventBody } = OnChainEvent.decode(row.event)
    if (tierPurchaseEventBody?.tierType !== TierType.Pro) continue
    times.set(fid, Math.max(times.get(fid) ?? 0, blockTimestamp))
  }
  return times
}

/**
 * Stores which app last requested each key of these fids, if the fid is registered. A removed key stays, for
 * the messages that it signed.
 */
export async function projectSignerApps(db: Transaction, fids: readonly number[]): Promise<void> {
  if (fids.length === 0) return
  const signers = await db<{ fid: number; key: Buffer; event: Buffer }[]>`
    select s.fid, s.key, s.event
    from hub.signers s
    join hub.fids f on f.fid = s.fid
    where s.fid = any (${[...fids]}::bigint[])
  `
  const rows = signers.map(({ fid, key, event }) => ({
    fid,
    key,
    appFid: requestFidOf(OnChainEvent.decode(event).signerEventBody!.metadata),
  }))
  await db`
    with requested as (
      select *
      from unnest(
        ${rows.map((row) => row.fid)}::bigint[],
        ${db.types.byteas(rows.map((row) => row.key))}::bytea[],
        ${rows.map((row) => row.appFid)}::bigint[]
      ) as requested (fid, key, app_fid)
    ),
    unrequested as (
      delete from signer_apps a
      using requested
      where requested.app_fid is null and a.fid = requested.fid and a.key = requested.key
    )
    insert into signer_apps (fid, key, app_fid)
    select * from requested where app_fid is not null
    on conflict (fid, key) do update set app_fid = excluded.app_fid
  `
}

/**
 * Stores which app requested each gasless key (docs/protocol.md §4.6). A key that is also in the registry has the app that
 * the registry names. A removed key stays, for the messages that it signed.
 */
export async function projectGaslessApps(db: Transaction, messages: readonly SignedMessage[]): Promise<void> {
  const requests = messages.flatMap(({ data: { type, fid, keyAddBody } }) => {
    const appFid = type === MessageType.KEY_ADD && keyAddBody ? requestFidOf(keyAddBody.metadata) : null
    return appFid === null ? [] : [{ fid, key: asBuffer(keyAddBody!.key), appFid }]
  })
  // Of the same key the last one.
  const byKey = new Map(requests.map((each) => [`${each.fid}/${each.key.toString('hex')}`, each]))
  const rows = [...byKey.values()]
  if (rows.length === 0) return
  await db`
    insert into signer_apps (fid, key, app_fid)
    select granted.*
    from unnest(
      ${rows.map(({ fid }) => fid)}::bigint[],
      ${db.types.byteas(rows.map(({ key }) => key))}::bytea[],
      ${rows.map(({ appFid }) => appFid)}::bigint[]
    ) as granted (fid, key, app_fid)
    where not exists (select from hub.signers s where s.fid = granted.fid and s.key = granted.key)
    on conflict (fid, key) do update set app_fid = excluded.app_fid
  `
}

const ABI_WORD_BYTES = 32

/**
 * The requestFid of a SignedKeyRequest; null for other metadata. The metadata is an ABI-encoded tuple: the
 * first word points to it, and its first member is the fid (docs/protocol.md §5.3).
 */
function requestFidOf(metadata: Uint8Array): number | null {
  if (metadata.length < 2 * ABI_WORD_BYTES) return null
  const word = Buffer.from(metadata.subarray(ABI_WORD_BYTES, 2 * ABI_WORD_BYTES))
  const fid = BigInt(`0x${word.toString('hex')}`)
  return fid > 0n && fid <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(fid) : null
}
