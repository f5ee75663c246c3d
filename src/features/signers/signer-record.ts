import { randomBytes, randomUUID } from 'node:crypto'
import type { Database, Queryable } from '../../platform/db/connection.js'
import { isUuid } from '../../platform/text/uuid.js'
import type { Vault } from '../../platform/vault/vault.js'
import { KEY_TYPE_AUTH, KEY_TYPE_ED25519 } from '../../protocol/key-rules.js'
import { createMessageSigner } from '../../protocol/sign.js'
import type { SignerPermission } from './schema/signer.js'

/**
 * State of a signer: `generated` → `pending_approval` → `approved` → `revoked`. A refusal leads from
 * `pending_approval` to `revoked`.
 */
export type SignerStatus = 'generated' | 'pending_approval' | 'approved' | 'revoked'

/** A key type that apps may request. */
export type KeyType = typeof KEY_TYPE_ED25519 | typeof KEY_TYPE_AUTH

/** A requested key and its current state. */
export interface SignerRecord {
  readonly id: string
  readonly appId: string
  readonly keyType: KeyType
  /** 32 bytes. */
  readonly publicKey: Buffer
  /** Null when the developer holds the private key. */
  readonly sealedKey: Buffer | null
  readonly status: SignerStatus
  /** The user that approved the key; null before. */
  readonly fid: number | null
  /** Granted permissions; null means all. */
  readonly permissions: SignerPermission[] | null
  /** Null until the app has requested approval. */
  readonly approvalToken: string | null
}

/**
 * SQL for signers.signers joined with the derived state of each signer (members of `SignerRecord`).
 *
 * This is the only place that derives the state; it is not stored.
 *
 * - A key belongs to the first account that added it on the chain. Keys are public, so another account may
 *   add it later; that is ignored.
 * - Chain state also counts for a key that no app requested here.
 * - A refusal is final whatever the chain says. A removal is final because the contract refuses removed keys.
 * - A request stays pending after its deadline: the app may request again.
 */
export function signerRecords(db: Queryable) {
  return db`(
    select s.*,
      s.app_id as "appId", s.key_type as "keyType", s.public_key as "publicKey", s.sealed_key as "sealedKey",
      s.approval_token as "approvalToken", h.fid,
      case
        when s.refused_at is not null then 'revoked'
        when h.active then 'approved'
        when h.fid is not null then 'revoked'
        when s.request_signature is not null then 'pending_approval'
        else 'generated'
      end as status,
      case
        when c.fid is not null then c.permissions
        -- Chosen through a process of the version before.
        when s.permissions_fid is null or s.permissions_fid = h.fid then s.permissions
      end as granted
    from signers.signers s
    left join lateral (
      select fid, active
      from hub.signers
      -- Of addresses, hubs also know the bare form.
      where key = any (case s.key_type
          when ${KEY_TYPE_AUTH} then array[s.public_key, substr(s.public_key, 13)]
          else array[s.public_key]
        end)
        and key_type = s.key_type
      order by block_number, log_index
      limit 1
    ) h on true
    left join signers.permission_choices c on c.signer_id = s.id and c.fid = h.fid
  )`
}

/** SQL for the members of `SignerRecord` from `signerRecords`, aliased `s` in the statement. */
export function signerColumns(db: Queryable) {
  return db`
    s.id, s."appId", s."keyType", s."publicKey", s."sealedKey", s.status, s.fid, s.granted as permissions,
    s."approvalToken"`
}

const PRIVATE_KEY_BYTES = 32

/**
 * Creates a key pair for an app. The private key leaves this function encrypted.
 *
 * @param signInFid The user whose browser sign-in it is made for.
 */
export async function createSigner(
  { db, vault }: { readonly db: Queryable; readonly vault: Vault },
  appId: string,
  signInFid: number | null = null,
): Promise<{ readonly id: string; readonly publicKey: Buffer }> {
  const id = randomUUID()
  const privateKey = randomBytes(PRIVATE_KEY_BYTES)
  const { publicKey } = createMessageSigner(privateKey)
  const sealed = vault.seal(privateKey, signerKeyContext(id))
  await db`
    insert into signers.signers (id, app_id, public_key, sealed_key, sign_in_fid)
    values (${id}, ${appId}, ${publicKey}, ${sealed}, ${signInFid})`
  return { id, publicKey }
}

/** Names the private key of a signer for the vault (the additional data of its ciphertext). */
export const signerKeyContext = (signerId: string): string => `signer ${signerId}`

/** A signer whose private key this server holds. */
export interface HeldSigner extends SignerRecord {
  readonly sealedKey: Buffer
}

/** Finds a signer of any app; null when there is none. */
export async function findSigner(db: Database, signerUuid: string): Promise<HeldSigner | null> {
  if (!isUuid(signerUuid)) return null
  const [found] = await db<HeldSigner[]>`
    select ${signerColumns(db)} from ${signerRecords(db)} s
    where id = ${signerUuid} and sealed_key is not null`
  return found ?? null
}

/** Finds the request for a key of a type; null when there is none. */
export async function findKey(db: Database, keyType: KeyType, key: Buffer): Promise<SignerRecord | null> {
  const [found] = await db<SignerRecord[]>`
    select ${signerColumns(db)} from ${signerRecords(db)} s
    where key_type = ${keyType} and public_key = ${key}::bytea`
  return found ?? null
}

/** Lists an app's approved and revoked signers of the users with a custody address, oldest first. */
export async function listSignersOfCustody(
  db: Database,
  { appId, custody }: { readonly appId: string; readonly custody: Buffer },
): Promise<HeldSigner[]> {
  return await db<HeldSigner[]>`
    select ${signerColumns(db)}
    from ${signerRecords(db)} s
    where app_id = ${appId} and sealed_key is not null and key_type = ${KEY_TYPE_ED25519}
      and public_key in (
        select k.key
        from hub.fids f
        join hub.signers k on k.fid = f.fid
        where f.custody_address = ${custody}::bytea and k.key_type = ${KEY_TYPE_ED25519}
      )
      and fid in (select f.fid from hub.fids f where f.custody_address = ${custody}::bytea)
    order by created_at, id`
}
