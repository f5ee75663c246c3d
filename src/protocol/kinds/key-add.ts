import {
  ADMISSIBLE_KEY_ADD_SCOPES,
  KEY_TYPE_ED25519,
  type KeyAddBody,
  MAX_KEY_ADD_SCOPES,
  MAX_KEY_TTL_SECONDS,
  METADATA_TYPE_SIGNED_KEY_REQUEST,
  type MessageData,
  MessageType,
} from '@farcaster/core'
import { ACCOUNT_SIGNATURE_BYTES, type AccountRecovery } from '../account-recovery.js'
import { asBuffer } from '../bytes.js'
import { PUBLIC_KEY_BYTES } from '../ed25519.js'
import { BASE_DATA_BYTES, type MessageKind, MessageSet } from '../message-kind.js'
import { repeatedField, schema, single } from '../wire-schema.js'
import { recoverKeyAddCustody, verifySignedKeyRequest } from './key-claim.js'

const bodySchema = schema({
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
  wire: { field: 19, schema: bodySchema },
  maxDataBytes: BASE_DATA_BYTES,
  validate: validateKeyAdd,
  checkClaim: checkKeyAddClaims,
  conflictKey: (body) => asBuffer(body.key),
}

/** Limits: docs/protocol.md §3.3. */
function validateKeyAdd(body: KeyAddBody): string | null {
  if (body.key.length !== PUBLIC_KEY_BYTES) return 'key must be 32 bytes'
  if (body.keyType !== KEY_TYPE_ED25519) return 'invalid key type'
  if (body.deadline === 0) return 'deadline is required'
  if (body.ttl === 0 || body.ttl > MAX_KEY_TTL_SECONDS) return `ttl must be > 0 and <= ${MAX_KEY_TTL_SECONDS}`
  if (body.metadataType !== METADATA_TYPE_SIGNED_KEY_REQUEST) return 'invalid metadata type'
  if (body.metadata.length === 0) return 'metadata is required'
  if (body.custodySignature.length !== ACCOUNT_SIGNATURE_BYTES) return 'invalid custody signature'
  return validateScopes(body.scopes)
}

function validateScopes(scopes: readonly MessageType[]): string | null {
  if (scopes.length === 0) return 'scopes is required'
  if (scopes.length > MAX_KEY_ADD_SCOPES) return `scopes must have at most ${MAX_KEY_ADD_SCOPES} entries`
  const unknown = scopes.find((scope) => !ADMISSIBLE_KEY_ADD_SCOPES.includes(scope))
  return unknown === undefined ? null : `invalid scope: ${unknown}`
}

/** Checks that the signatures are well-formed. The merge checks the signers. */
async function checkKeyAddClaims(
  body: KeyAddBody,
  data: MessageData,
  _message: unknown,
  recover: AccountRecovery,
): Promise<string | null> {
  const custody = await recoverKeyAddCustody(body, data.fid, recover)
  if (custody === null) return 'invalid custody signature'
  const request = await verifySignedKeyRequest(body, data.timestamp, recover)
  return 'code' in request ? request.message : null
}
