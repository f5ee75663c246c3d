import { MessageType, Protocol, type VerificationRemoveBody } from '@farcaster/core'
import { asBuffer } from '../bytes.js'
import { BASE_DATA_BYTES, type MessageKind, MessageSet } from '../message-kind.js'
import { schema, single } from '../wire-schema.js'
import { validateEthAddress, validateSolAddress } from './address.js'

const bodySchema = schema({ 1: single('bytes'), 2: single('int32') })

/** VERIFICATION_REMOVE: removes a verified address. */
export const verificationRemove: MessageKind<VerificationRemoveBody> = {
  type: MessageType.VERIFICATION_REMOVE,
  set: MessageSet.verifications,
  side: 'remove',
  bodyName: 'verificationRemoveBody',
  wire: { field: 10, schema: bodySchema },
  maxDataBytes: BASE_DATA_BYTES,
  validate: validateVerificationRemove,
  conflictKey: (body) => asBuffer(body.address),
}

function validateVerificationRemove(body: VerificationRemoveBody): string | null {
  switch (body.protocol) {
    case Protocol.ETHEREUM:
      return validateEthAddress(body.address)
    case Protocol.SOLANA:
      return validateSolAddress(body.address)
    default:
      return 'invalid verification protocol'
  }
}
