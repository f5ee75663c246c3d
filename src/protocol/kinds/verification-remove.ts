import { MessageType, Protocol, type VerificationRemoveBody } from '@farcaster/core'
import { asBuffer } from '../bytes.js'
import { type MessageKind, MessageSet } from '../message-kind.js'
import { validateEthAddress, validateSolAddress } from './address.js'
import { BASE_DATA_BYTES } from './data-size.js'

/** Takes a verified address back. */
export const verificationRemove: MessageKind<VerificationRemoveBody> = {
  type: MessageType.VERIFICATION_REMOVE,
  set: MessageSet.verifications,
  side: 'remove',
  body: (data) => data.verificationRemoveBody,
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
