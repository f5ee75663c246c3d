import type { SignerPermission } from '../../graph/view/schema/signer.js'
import type { Queryable } from '../../platform/db/connection.js'

/** `generated` → `pending_approval` → `approved` → `revoked`, and `pending_approval` → `revoked` by a refusal. */
export type SignerStatus = 'generated' | 'pending_approval' | 'approved' | 'revoked'

/** Key types of the key registry: a key that signs messages, and an address that signs in for its user. */
export const MESSAGE_KEY_TYPE = 1 as const
export const AUTH_ADDRESS_KEY_TYPE = 2 as const
/** A key type of the key registry that apps may ask for. */
export type KeyType = typeof MESSAGE_KEY_TYPE | typeof AUTH_ADDRESS_KEY_TYPE

/** How a key that an app asked for stands now. */
export interface SignerRecord {
  readonly id: string
  readonly appId: string
  readonly keyType: KeyType
  /** 32 bytes. */
  readonly publicKey: Buffer
  /** Null where the developer holds the private half. */
  readonly sealedKey: Buffer | null
  readonly status: SignerStatus
  /** The user whose key it is or was; null before it was approved. */
  readonly fid: number | null
  /** Null is everything. */
  readonly permissions: SignerPermission[] | null
  /** Null until the app has asked. */
  readonly approvalToken: string | null
}

/**
 * The keys that apps asked for, as a table to select from: the rows of signers.signers with the members of
 * `Standing`. This is the one place where states are made; none is stored.
 *
 * - A key belongs for good to the first account that added it on the chain. A key is public, so somebody else may add
 *   it to another account later; that changes nothing.
 * - What the chain says counts also for a key that no app has asked for by this API.
 * - A refusal is final, whatever the chain says later. So is a removal: the chain takes no removed key back.
 * - A request whose deadline has passed goes on waiting: the app may ask anew.
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
      case when s.permissions_fid is null or s.permissions_fid = h.fid then s.permissions end as granted
    from signers.signers s
    left join lateral (
      select fid, active
      from hub.signers
      -- Of addresses, hubs also know the bare form.
      where key = any (case s.key_type
          when ${AUTH_ADDRESS_KEY_TYPE} then array[s.public_key, substr(s.public_key, 13)]
          else array[s.public_key]
        end)
        and key_type = s.key_type
      order by block_number, log_index
      limit 1
    ) h on true
  )`
}

/** The members of `Standing` out of `standings`, which the statement calls `s`. */
export function signerColumns(db: Queryable) {
  return db`
    s.id, s."appId", s."keyType", s."publicKey", s."sealedKey", s.status, s.fid, s.granted as permissions,
    s."approvalToken"`
}
