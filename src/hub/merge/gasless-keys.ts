import type { Queryable, Transaction } from '../../platform/db/connection.js'
import { type Refusal, refuse } from '../../platform/errors.js'
import type { AccountRecovery } from '../../protocol/account-recovery.js'
import { asBuffer } from '../../protocol/bytes.js'
import {
  IdRegisterEventType,
  MessageType,
  OnChainEvent,
  OnChainEventType,
} from '../../protocol/definitions.js'
import { KEY_REMOVE_SIGNATURE_TYPE_CUSTODY } from '../../protocol/key-rules.js'
import {
  recoverKeyAddCustody,
  recoverKeyRemoveCustody,
  type VerifiedKeyRequest,
  verifySignedKeyRequest,
} from '../../protocol/kinds/key.js'
import type { SignedMessage } from '../../protocol/message.js'
import { farcasterSecondsFromUnixSeconds } from '../../protocol/time.js'
import { invalidSigner } from '../sender-refusals.js'

/** A key that a custody address granted by message: a row of `hub.gasless_keys` (docs/protocol.md §4.6). */
export interface GaslessKey {
  readonly key: Buffer
  readonly fid: number
  /** Fid of the app that requested the key. */
  readonly requestFid: number
  readonly scopes: readonly MessageType[]
  /** The key expires when it has signed nothing for this long. */
  readonly ttlSeconds: number
  /** Farcaster seconds. */
  readonly lastUsedAt: number
}

/** An address that had custody of a fid, and when it gave it away, in Farcaster seconds. */
export interface FormerCustody {
  readonly address: Buffer
  readonly until: number
}

/** Owner of a nonce: the fid of the user, or the app. */
export const NonceKind = { user: 1, app: 2 } as const
export type NonceKind = (typeof NonceKind)[keyof typeof NonceKind]

/** The largest nonce that an owner has used: a row of `hub.key_nonces`. */
export interface Nonce {
  readonly kind: NonceKind
  readonly fid: number
  readonly nonce: number
}

/** Custody address and key request that authorize a key message. Recovery takes milliseconds, so it runs before the transaction. */
export interface KeyClaim {
  /** 20 bytes; null if the message needs no custody signature or has a malformed one. */
  readonly custody: Buffer | null
  readonly request: VerifiedKeyRequest | null
}

/** Recovers the claims of all key messages of a batch. */
export async function recoverKeyClaims(
  messages: readonly SignedMessage[],
  recover: AccountRecovery,
): Promise<ReadonlyMap<SignedMessage, KeyClaim>> {
  const claims = await Promise.all(
    messages.map(async (message) => [message, await recoverKeyClaim(message, recover)] as const),
  )
  return new Map(claims.flatMap(([message, claim]) => (claim ? [[message, claim]] : [])))
}

async function recoverKeyClaim({ data }: SignedMessage, recover: AccountRecovery): Promise<KeyClaim | null> {
  if (data.keyAddBody && data.type === MessageType.KEY_ADD) {
    const [custody, request] = await Promise.all([
      recoverKeyAddCustody(data.keyAddBody, data.fid, recover),
      verifySignedKeyRequest(data.keyAddBody, data.timestamp, recover),
    ])
    return { custody, request: 'code' in request ? null : request }
  }
  if (data.keyRemoveBody?.signatureType === KEY_REMOVE_SIGNATURE_TYPE_CUSTODY) {
    return { custody: await recoverKeyRemoveCustody(data.keyRemoveBody, data.fid, recover), request: null }
  }
  return null
}

/** Returns why a signer that is not on chain may not sign the message's type; null for a key with that scope. */
export function checkScope({ signer, data }: SignedMessage, keys: KeyState): Refusal | null {
  const key = keys.get(signer)
  if (key?.fid !== data.fid) return invalidSigner
  if (key.scopes.includes(data.type)) return null
  const text = `message type ${data.type} is not in the scope of the gasless signer`
  return refuse('bad_request.validation_failure', text)
}

/** Returns why the key that signed a message has expired; null if it has not. @param now Farcaster seconds. */
export function checkExpiry({ signer }: SignedMessage, keys: KeyState, now: number): Refusal | null {
  const { lastUsedAt, ttlSeconds } = keys.get(signer)!
  if (lastUsedAt + ttlSeconds >= now) return null
  const text = `gasless-key last_used_at expired: stored=${lastUsedAt} + ttl=${ttlSeconds} < current_block_timestamp=${now}`
  return refuse('bad_request.validation_failure', text)
}

/** Seconds by which a message must be later than the last use of its key to count as a use. */
const USE_INTERVAL_SECONDS = 300

/** Gasless keys and nonces that a batch can change, before and after it. */
export class KeyState {
  readonly #keys = new Map<string, { key: Buffer; before: GaslessKey | null; current: GaslessKey | null }>()
  readonly #nonces = new Map<string, Nonce & { changed: boolean }>()
  /** Number of keys by fid. */
  readonly #counts = new Map<number, number>()
  readonly #formerCustody = new Map<number, readonly FormerCustody[]>()

  load(key: GaslessKey): void {
    this.#keys.set(key.key.toString('hex'), { key: key.key, before: key, current: key })
  }

  loadNonce(kind: NonceKind, fid: number, nonce: number): void {
    this.#nonces.set(nonceId(kind, fid), { kind, fid, nonce, changed: false })
  }

  loadFormerCustody(fid: number, custody: FormerCustody): void {
    this.#formerCustody.set(fid, [...(this.#formerCustody.get(fid) ?? []), custody])
  }

  /** The addresses that had custody of a user before, if the batch has key messages of that user. */
  formerCustodyOf(fid: number): readonly FormerCustody[] {
    return this.#formerCustody.get(fid) ?? []
  }

  loadCount(fid: number, count: number): void {
    this.#counts.set(fid, count)
  }

  get(key: Uint8Array): GaslessKey | null {
    return this.#keys.get(Buffer.from(key).toString('hex'))?.current ?? null
  }

  keyCountOf(fid: number): number {
    return this.#counts.get(fid) ?? 0
  }

  set(key: GaslessKey): void {
    const name = key.key.toString('hex')
    const tracked = this.#keys.get(name)
    if (!tracked?.current) this.#counts.set(key.fid, this.keyCountOf(key.fid) + 1)
    this.#keys.set(name, { key: key.key, before: tracked?.before ?? null, current: key })
  }

  delete(key: GaslessKey): void {
    const name = key.key.toString('hex')
    this.#keys.set(name, { key: key.key, before: this.#keys.get(name)?.before ?? null, current: null })
    this.#counts.set(key.fid, this.keyCountOf(key.fid) - 1)
  }

  /** Moves the expiry clock of the key that signed a message, in steps of 300 s (docs/protocol.md §4.6). */
  recordUse({ signer, data }: SignedMessage): void {
    const key = this.get(signer)
    if (key?.fid !== data.fid || data.timestamp <= key.lastUsedAt + USE_INTERVAL_SECONDS) return
    this.set({ ...key, lastUsedAt: data.timestamp })
  }

  /** Returns the largest nonce that an owner has used; 0 if none. */
  lastNonce(kind: NonceKind, fid: number): number {
    return this.#nonces.get(nonceId(kind, fid))?.nonce ?? 0
  }

  /** Uses a nonce. Refuses it unless it is larger than all used before. */
  consumeNonce(kind: NonceKind, fid: number, nonce: number): Refusal | null {
    const last = this.lastNonce(kind, fid)
    if (nonce <= last) {
      const text = `gasless-key nonce ${nonce} is not greater than stored nonce ${last}`
      return refuse('bad_request.conflict', text)
    }
    this.#nonces.set(nonceId(kind, fid), { kind, fid, nonce, changed: true })
    return null
  }

  changedKeys(): { key: Buffer; current: GaslessKey | null }[] {
    return [...this.#keys.values()].filter(({ before, current }) => before !== current)
  }

  changedNonces(): Nonce[] {
    return [...this.#nonces.values()].filter(({ changed }) => changed)
  }
}

function nonceId(kind: NonceKind, fid: number): string {
  return `${kind}/${fid}`
}

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
