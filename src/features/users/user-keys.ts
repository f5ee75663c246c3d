import { foldChainEvents, type SignerState } from '../../hub/merge/chain-state.js'
import type { Database } from '../../platform/db/connection.js'
import { OnChainEvent, OnChainEventType } from '../../protocol/definitions.js'
import { KEY_TYPE_AUTH, KEY_TYPE_ED25519 } from '../../protocol/key-rules.js'

/** A key of a user, of the registry or added by a message. */
export interface UserKeyRow {
  readonly key: string
  readonly keyType: number
  readonly active: boolean
  /** The block that changed the key last; 0 for keys that messages have added. */
  readonly block: number
  /** Unix seconds. */
  readonly changedAt: number | null
  readonly requestFid: number | null
  readonly requestName: string | null
  readonly appId: string | null
  readonly appName: string | null
}

/**
 * Reads a page of the keys of a user, the last changed first. An account has at most some thousand keys, so they are sorted
 * without an index.
 *
 * @param now Farcaster seconds, at which keys that messages have added may have expired (docs/protocol.md §4.6).
 */
export async function readUserKeys(
  db: Database,
  fid: number,
  limit: number,
  after: readonly [block: number, key: string] | null,
  now: number,
): Promise<UserKeyRow[]> {
  const [block, key] = after ?? [Number.MAX_SAFE_INTEGER, '']
  const signers = await readChainKeys(db, fid)
  return await db<UserKeyRow[]>`
    with keys as (
      select k.*, a.app_fid
      from unnest(
        ${db.types.byteas(signers.map((signer) => signer.key))}::bytea[],
        ${signers.map(({ keyType }) => keyType)}::integer[],
        ${db.types.bools(signers.map(({ active }) => active))}::boolean[],
        ${signers.map(({ changed }) => changed.blockNumber)}::bigint[],
        ${signers.map(({ changed }) => changed.blockTimestamp)}::bigint[]
      ) k (key, key_type, active, block_number, block_time)
      left join social.signer_apps a on a.fid = ${fid}::bigint and a.key = k.key
      union all
      select g.key, ${KEY_TYPE_ED25519}::integer, g.last_used_at + g.ttl_seconds >= ${now}::bigint, 0, null, g.request_fid
      from hub.gasless_keys g
      where g.fid = ${fid}::bigint
    ), page as (
      select * from keys k
      where (k.block_number, k.key) < (${block}::bigint, ${after === null ? null : Buffer.from(key, 'hex')}::bytea)
        or ${after === null}::boolean
      order by k.block_number desc, k.key desc
      limit ${limit}::integer
    )
    select
      encode(k.key, 'hex') as key, k.key_type as "keyType", k.active, k.block_number as block,
      k.block_time as "changedAt", k.app_fid as "requestFid", u.username as "requestName",
      apps.id as "appId", apps.name as "appName"
    from page k
    left join social.users u on u.fid = k.app_fid
    left join signers.signers s
      -- Of addresses, hubs also know the bare form.
      on s.key_type = k.key_type and s.public_key = any (
        array[k.key, case k.key_type when ${KEY_TYPE_AUTH} then decode(repeat('00', 12), 'hex') || k.key end]
      )
    left join apps.apps apps on apps.id = s.app_id
    order by k.block_number desc, k.key desc
  `
}

/** Reads the keys that the chain knows of a user. Their rows in hub.signers name the event that added them, not the last one. */
async function readChainKeys(db: Database, fid: number): Promise<readonly SignerState[]> {
  const rows = await db<{ event: Buffer }[]>`
    select event
    from hub.onchain_events
    where fid = ${fid}::bigint and type = ${OnChainEventType.EVENT_TYPE_SIGNER}::smallint`
  const events = rows.map(({ event }) => OnChainEvent.decode(event))
  return foldChainEvents(fid, events).signers
}
