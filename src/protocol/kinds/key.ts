import { isRefusal, type Refusal, refuse } from '../../platform/errors.js'
import { ACCOUNT_SIGNATURE_BYTES, type AccountRecovery, recoverClaimant } from '../account-recovery.js'
import { asBuffer, hexOf } from '../bytes.js'
import { type KeyAddBody, type KeyRemoveBody, MessageType } from '../definitions.js'
import { PUBLIC_KEY_BYTES } from '../ed25519.js'
import { decodeKeyRequestMetadata } from '../key-request-metadata.js'
import {
  ADMISSIBLE_KEY_ADD_SCOPES,
  KEY_REMOVE_SIGNATURE_TYPE_CUSTODY,
  KEY_REMOVE_SIGNATURE_TYPE_SELF,
  KEY_TYPE_ED25519,
  MAX_KEY_ADD_SCOPES,
  MAX_KEY_TTL_SECONDS,
  METADATA_TYPE_SIGNED_KEY_REQUEST,
} from '../key-rules.js'
import { type MessageKind, MessageSet } from '../message-kind.js'
import { gaslessKeyAdd, gaslessKeyRemove, gaslessKeyRequest } from '../signed-types.js'
import { repeatedField, schema, single } from '../wire-schema.js'
import { recoverSigner } from './typed-data.js'

/** The text for a key request that cannot be read, or whose signature is of somebody else. */
export const MALFORMED_KEY_REQUEST = 'SignedKeyRequest metadata is malformed or signature does not verify'

const addSchema = schema({
  1: single('bytes'),
  2: single('uint32'),
  3: single('bytes'),
  4: single('uint32'),
  5: single('uint32'),
  6: single('bytes'),
  7: single('uint32'),
  8: single('bytes'),
  9: repeatedField('int32'),
  10: single('uint32'),
})

/** KEY_ADD: adds a signer by a custody signature, without a transaction. */
export const keyAdd: MessageKind<KeyAddBody> = {
  type: MessageType.KEY_ADD,
  set: MessageSet.keys,
  side: 'add',
  bodyName: 'keyAddBody',
  wire: { field: 19, schema: addSchema },
  validate: validateKeyAdd,
  // Checks that the signatures are well-formed. The merge checks the signers.
  async checkClaim(body, data, _message, recover) {
    const custody = await recoverKeyAddCustody(body, data.fid, recover)
    if (custody === null) return 'invalid signature'
    const request = await verifySignedKeyRequest(body, data.timestamp, recover)
    return isRefusal(request) ? request.message : null
  },
  claimRecoveries: 2,
  conflictKey: (body) => asBuffer(body.key),
}

/** Limits: docs/protocol.md §3.3. */
function validateKeyAdd(body: KeyAddBody): string | null {
  if (body.key.length !== PUBLIC_KEY_BYTES) return 'key must be 32 bytes'
  if (body.keyType !== KEY_TYPE_ED25519) return 'invalid key type'
  if (body.deadline === 0) return 'deadline is missing'
  if (body.ttl === 0 || body.ttl > MAX_KEY_TTL_SECONDS) {
    return `ttl must be > 0 and <= ${MAX_KEY_TTL_SECONDS} seconds`
  }
  if (body.metadataType !== METADATA_TYPE_SIGNED_KEY_REQUEST) return 'invalid metadata type'
  if (body.metadata.length === 0) return 'metadata is missing'
  if (body.custodySignature.length !== ACCOUNT_SIGNATURE_BYTES) return 'invalid signature'
  return validateScopes(body.scopes)
}

function validateScopes(scopes: readonly MessageType[]): string | null {
  if (scopes.length === 0) return 'scopes must be non-empty'
  if (scopes.length > MAX_KEY_ADD_SCOPES) return `scopes list exceeds max of ${MAX_KEY_ADD_SCOPES} entries`
  const unknown = scopes.find((scope) => !ADMISSIBLE_KEY_ADD_SCOPES.includes(scope))
  return unknown === undefined ? null : `scope "${unknown}" is not a valid MessageType`
}

const removeSchema = schema({
  1: single('bytes'),
  2: single('bytes'),
  3: single('uint32'),
  4: single('uint32'),
  5: single('uint32'),
})

/** KEY_REMOVE: removes a key of KEY_ADD, by the custody address or by the key itself. */
export const keyRemove: MessageKind<KeyRemoveBody> = {
  type: MessageType.KEY_REMOVE,
  set: MessageSet.keys,
  side: 'remove',
  bodyName: 'keyRemoveBody',
  wire: { field: 20, schema: removeSchema },
  validate: validateKeyRemove,
  // A custody signature must be well-formed; otherwise the removed key must have signed the message.
  async checkClaim(body, data, { signer }, recover) {
    if (body.signatureType === KEY_REMOVE_SIGNATURE_TYPE_SELF) {
      return signer.equals(body.key) ? null : 'signer must be the removed key'
    }
    const custody = await recoverKeyRemoveCustody(body, data.fid, recover)
    return custody === null ? 'invalid signature' : null
  },
  conflictKey: (body) => asBuffer(body.key),
}

/** Limits: docs/protocol.md §3.3. */
function validateKeyRemove(body: KeyRemoveBody): string | null {
  if (body.key.length !== PUBLIC_KEY_BYTES) return 'key must be 32 bytes'
  if (body.deadline === 0) return 'deadline is missing'
  switch (body.signatureType) {
    case KEY_REMOVE_SIGNATURE_TYPE_CUSTODY:
      return body.signature.length === ACCOUNT_SIGNATURE_BYTES ? null : 'invalid signature'
    case KEY_REMOVE_SIGNATURE_TYPE_SELF:
      return null
    default:
      return 'invalid signature type'
  }
}

/** A verified key request of an app. */
export interface VerifiedKeyRequest {
  /** Fid of the app. The merge checks that `requestSigner` is its custody address. */
  readonly requestFid: number
  /** 20 bytes. */
  readonly requestSigner: Buffer
  /** Farcaster seconds. */
  readonly deadline: bigint
}

/**
 * Recovers the address (20 bytes) that signed a KEY_ADD for `fid`; null if the signature is malformed. Any
 * well-formed signature recovers to some address: the merge compares it with the custody address.
 */
export function recoverKeyAddCustody(
  body: KeyAddBody,
  fid: number,
  recover: AccountRecovery = recoverClaimant,
): Promise<Buffer | null> {
  return recoverSigner(
    {
      ...gaslessKeyAdd,
      primaryType: 'KeyAdd',
      message: {
        fid: BigInt(fid),
        key: hexOf(body.key),
        keyType: body.keyType,
        scopes: body.scopes,
        ttl: body.ttl,
        nonce: body.nonce,
        deadline: BigInt(body.deadline),
      },
    },
    body.custodySignature,
    recover,
  )
}

/** Recovers the address (20 bytes) that signed a KEY_REMOVE for `fid`; null if malformed. */
export function recoverKeyRemoveCustody(
  body: KeyRemoveBody,
  fid: number,
  recover: AccountRecovery = recoverClaimant,
): Promise<Buffer | null> {
  return recoverSigner(
    {
      ...gaslessKeyRemove,
      primaryType: 'KeyRemove',
      message: {
        fid: BigInt(fid),
        key: hexOf(body.key),
        nonce: body.nonce,
        deadline: BigInt(body.deadline),
      },
    },
    body.signature,
    recover,
  )
}

/** Verifies the key request in a KEY_ADD: by its `requestSigner`, for this key, not expired at `timestamp`. */
export async function verifySignedKeyRequest(
  body: Pick<KeyAddBody, 'key' | 'metadata'>,
  timestamp: number,
  recover: AccountRecovery = recoverClaimant,
): Promise<VerifiedKeyRequest | Refusal> {
  const invalid = refuse('bad_request.validation_failure', MALFORMED_KEY_REQUEST)
  const decoded = decodeKeyRequestMetadata(body.metadata)
  if (decoded === null) return invalid
  const { requestFid, requestSigner, signature, deadline } = decoded
  if (deadline < BigInt(timestamp)) {
    return refuse('bad_request.validation_failure', 'SignedKeyRequest deadline has expired')
  }
  if (requestFid > BigInt(Number.MAX_SAFE_INTEGER)) return invalid
  const signer = await recoverSigner(
    {
      ...gaslessKeyRequest,
      primaryType: 'SignedKeyRequest',
      message: { requestFid, key: hexOf(body.key), deadline },
    },
    signature,
    recover,
  )
  if (signer === null || !signer.equals(requestSigner)) return invalid
  return { requestFid: Number(requestFid), requestSigner: signer, deadline }
}
