import {
  KEY_REMOVE_SIGNATURE_TYPE_CUSTODY,
  KEY_REMOVE_SIGNATURE_TYPE_SELF,
  type KeyRemoveBody,
  type MessageData,
  MessageType,
} from '@farcaster/core'
import { ACCOUNT_SIGNATURE_BYTES, type AccountRecovery } from '../account-recovery.js'
import { asBuffer } from '../bytes.js'
import { PUBLIC_KEY_BYTES } from '../ed25519.js'
import type { SignedMessage } from '../message.js'
import { BASE_DATA_BYTES, type MessageKind, MessageSet } from '../message-kind.js'
import { schema, single } from '../wire-schema.js'
import { recoverKeyRemoveCustody } from './key-claim.js'

const bodySchema = schema({
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
  wire: { field: 20, schema: bodySchema },
  maxDataBytes: BASE_DATA_BYTES,
  validate: validateKeyRemove,
  checkClaim: checkKeyRemoveClaim,
  conflictKey: (body) => asBuffer(body.key),
}

/** Limits: docs/protocol.md §3.3. */
function validateKeyRemove(body: KeyRemoveBody): string | null {
  if (body.key.length !== PUBLIC_KEY_BYTES) return 'key must be 32 bytes'
  if (body.deadline === 0) return 'deadline is required'
  switch (body.signatureType) {
    case KEY_REMOVE_SIGNATURE_TYPE_CUSTODY:
      return body.signature.length === ACCOUNT_SIGNATURE_BYTES ? null : 'invalid custody signature'
    case KEY_REMOVE_SIGNATURE_TYPE_SELF:
      return null
    default:
      return 'invalid signature type'
  }
}

/** Checks that a custody signature is well-formed, or that the removed key signed the message. */
async function checkKeyRemoveClaim(
  body: KeyRemoveBody,
  data: MessageData,
  message: Pick<SignedMessage, 'signer'>,
  recover: AccountRecovery,
): Promise<string | null> {
  if (body.signatureType === KEY_REMOVE_SIGNATURE_TYPE_SELF) {
    return message.signer.equals(body.key) ? null : 'signer must be the removed key'
  }
  return (await recoverKeyRemoveCustody(body, data.fid, recover)) === null
    ? 'invalid custody signature'
    : null
}
