import type { Queryable, Transaction } from '../../../platform/db/connection.js'
import { asBuffer } from '../../../protocol/bytes.js'
import {
  IdRegisterEventType,
  MessageType,
  OnChainEvent,
  OnChainEventType,
} from '../../../protocol/definitions.js'
import type { SignedMessage } from '../../../protocol/message.js'
import { farcasterSecondsFromUnixSeconds } from '../../../protocol/time.js'
import type { KeyClaim } from './key-claims.js'
import { type GaslessKey, KeyState, type Nonce } from './key-state.js'

const keyTypes: ReadonlySet<MessageType> = new Set([MessageType.KEY_ADD, MessageType.KEY_REMOVE])

/** Loads the gasless keys that a batch uses, grants or removes, and their nonces: mostly in one statement. */
export async function loadKeys(
  db: Transaction,
  messages: readonly SignedMessage[],
  claims: ReadonlyMap<SignedMessage, KeyClaim>,
): Promise<KeyState> {
  const state = new KeyState()
  const keys = await selectKeys(db, keysInMessages(messages))
  for (const key of keys) state.load(key)
  const fids = messages.flatMap(({ data }) => (keyTypes.has(data.type) ? [data.fid] : []))
  if (fids.length === 0) return state
  const apps = [...claims.values()].flatMap(({ request }) => (request ? [request.requestFid] : []))
  const nonceFids = [...fids, ...apps, ...keys.map((key) => key.requestFid)]
  const [nonces, counts, registrations] = await Promise.all([
    db<Nonce[]>`
      select kind, fid, nonce
      from hub.key_nonces
      where fid = any (${nonceFids}::bigint[])
    `,
    db<{ fid: number; count: number }[]>`
      select fid, count(*)::integer as count
      from hub.gasless_keys
      where fid = any (${fids}::bigint[])
      group by fid
    `,
    db<{ fid: number; event: Buffer }[]>`
      select fid, event
      from hub.onchain_events
      where fid = any (${fids}::bigint[]) and type = ${OnChainEventType.EVENT_TYPE_ID_REGISTER}
      order by fid, block_number, log_index
    `,
  ])
  for (const { kind, fid, nonce } of nonces) state.loadNonce(kind, fid, nonce)
  for (const { fid, count } of counts) state.loadCount(fid, count)
  const holders = new Map<number, Buffer>()
  for (const { fid, event } of registrations) {
    const { idRegisterEventBody: body, blockTimestamp } = OnChainEvent.decode(event)
    if (!body || body.eventType === IdRegisterEventType.CHANGE_RECOVERY) continue
    const holder = holders.get(fid)
    const until = farcasterSecondsFromUnixSeconds(blockTimestamp)
    if (holder) state.loadFormerCustody(fid, { address: holder, until })
    holders.set(fid, asBuffer(body.to))
  }
  return state
}

/** Returns the keys that sign messages or are named in their bodies, each once. */
function keysInMessages(messages: readonly SignedMessage[]): Buffer[] {
  const keys = new Map<string, Buffer>()
  for (const { signer, data } of messages) {
    const referencedKey = data.keyAddBody?.key ?? data.keyRemoveBody?.key
    keys.set(signer.toString('hex'), signer)
    if (referencedKey) keys.set(Buffer.from(referencedKey).toString('hex'), asBuffer(referencedKey))
  }
  return [...keys.values()]
}

function selectKeys(db: Transaction, keys: readonly Buffer[]): Promise<GaslessKey[]> {
  return db<GaslessKey[]>`
    select
      key, fid, request_fid as "requestFid", scopes,
      ttl_seconds as "ttlSeconds", last_used_at as "lastUsedAt"
    from hub.gasless_keys
    where key = any (${db.types.byteas(keys)}::bytea[])
  `
}

/** Writes granted, used and removed keys, and used nonces. */
export async function writeKeys(db: Transaction, state: KeyState): Promise<void> {
  const changed = state.changedKeys()
  const deleted = changed.filter(({ current }) => current === null)
  const upserted = changed.flatMap(({ current }) => (current ? [current] : []))
  const nonces = state.changedNonces()
  await Promise.all([
    deleted.length > 0
      ? db`delete from hub.gasless_keys where key = any (${db.types.byteas(deleted.map(({ key }) => key))}::bytea[])`
      : null,
    upserted.length > 0 ? upsertKeys(db, upserted) : null,
    nonces.length > 0 ? upsertNonces(db, nonces) : null,
  ])
}

async function upsertKeys(db: Transaction, keys: readonly GaslessKey[]): Promise<void> {
  await db`
    insert into hub.gasless_keys (key, fid, request_fid, scopes, ttl_seconds, last_used_at)
    select key, fid, request_fid, scopes::smallint[], ttl_seconds, last_used_at
    from unnest(
      ${db.types.byteas(keys.map(({ key }) => key))}::bytea[],
      ${keys.map(({ fid }) => fid)}::bigint[],
      ${keys.map(({ requestFid }) => requestFid)}::bigint[],
      ${db.types.texts(keys.map(({ scopes }) => `{${scopes.join(',')}}`))}::text[],
      ${keys.map(({ ttlSeconds }) => ttlSeconds)}::integer[],
      ${keys.map(({ lastUsedAt }) => lastUsedAt)}::bigint[]
    ) as granted (key, fid, request_fid, scopes, ttl_seconds, last_used_at)
    on conflict (key) do update
    set fid = excluded.fid,
        request_fid = excluded.request_fid,
        scopes = excluded.scopes,
        ttl_seconds = excluded.ttl_seconds,
        last_used_at = excluded.last_used_at
  `
}

/** Writes used nonces, of which the largest of an owner counts. */
export async function upsertNonces(db: Queryable, nonces: readonly Nonce[]): Promise<void> {
  await db`
    insert into hub.key_nonces (kind, fid, nonce)
    select kind, fid, max(nonce)
    from unnest(
      ${nonces.map(({ kind }) => kind)}::smallint[],
      ${nonces.map(({ fid }) => fid)}::bigint[],
      ${nonces.map(({ nonce }) => nonce)}::bigint[]
    ) as used (kind, fid, nonce)
    group by kind, fid
    order by kind, fid
    on conflict (kind, fid) do update set nonce = greatest(key_nonces.nonce, excluded.nonce)
  `
}
