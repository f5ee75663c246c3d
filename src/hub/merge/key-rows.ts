import { MessageType } from '@farcaster/core'
import type { Transaction } from '../../platform/db/connection.js'
import { asBuffer } from '../../protocol/bytes.js'
import type { SignedMessage } from '../../protocol/message.js'
import type { GaslessKey, KeyClaim, NonceKind } from './gasless-keys.js'
import { KeyState } from './gasless-keys.js'

interface KeyRow {
  key: Buffer
  fid: number
  request_fid: number
  scopes: MessageType[]
  ttl_seconds: number
  last_used_at: number
}

/**
 * Loads the gasless keys that a batch uses, grants or removes, and their nonces.
 *
 * Most batches have no key messages and need the first statement only.
 */
export async function loadKeys(
  db: Transaction,
  messages: readonly SignedMessage[],
  claims: ReadonlyMap<SignedMessage, KeyClaim>,
): Promise<KeyState> {
  const state = new KeyState()
  const keys = (await selectKeys(db, keysInMessages(messages))).map(gaslessKeyFromRow)
  for (const key of keys) state.load(key)
  const fids = messages.filter(isKeyMessage).map(({ data }) => data.fid)
  if (fids.length === 0) return state
  const apps = [...claims.values()].flatMap(({ request }) => (request ? [request.requestFid] : []))
  const nonceFids = [...fids, ...apps, ...keys.map((key) => key.requestFid)]
  const [nonces, counts] = await Promise.all([selectNonces(db, nonceFids), selectCounts(db, fids)])
  for (const { kind, fid, nonce } of nonces) state.loadNonce(kind, fid, nonce)
  for (const { fid, count } of counts) state.loadCount(fid, count)
  return state
}

function isKeyMessage({ data }: SignedMessage): boolean {
  return data.type === MessageType.KEY_ADD || data.type === MessageType.KEY_REMOVE
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

function gaslessKeyFromRow(row: KeyRow): GaslessKey {
  return {
    key: row.key,
    fid: row.fid,
    requestFid: row.request_fid,
    scopes: row.scopes,
    ttlSeconds: row.ttl_seconds,
    lastUsedAt: row.last_used_at,
  }
}

function selectKeys(db: Transaction, keys: readonly Buffer[]): Promise<KeyRow[]> {
  return db<KeyRow[]>`
    select key, fid, request_fid, scopes, ttl_seconds, last_used_at
    from hub.gasless_keys
    where key = any (${db.types.byteas(keys)}::bytea[])
  `
}

function selectNonces(db: Transaction, fids: number[]) {
  return db<{ kind: NonceKind; fid: number; nonce: number }[]>`
    select kind, fid, nonce
    from hub.key_nonces
    where fid = any (${fids}::bigint[])
  `
}

function selectCounts(db: Transaction, fids: number[]) {
  return db<{ fid: number; count: number }[]>`
    select fid, count(*)::integer as count
    from hub.gasless_keys
    where fid = any (${fids}::bigint[])
    group by fid
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

async function upsertNonces(
  db: Transaction,
  nonces: readonly { kind: NonceKind; fid: number; nonce: number }[],
): Promise<void> {
  await db`
    insert into hub.key_nonces (kind, fid, nonce)
    select kind, fid, nonce
    from unnest(
      ${nonces.map(({ kind }) => kind)}::smallint[],
      ${nonces.map(({ fid }) => fid)}::bigint[],
      ${nonces.map(({ nonce }) => nonce)}::bigint[]
    ) as used (kind, fid, nonce)
    on conflict (kind, fid) do update set nonce = excluded.nonce
  `
}
