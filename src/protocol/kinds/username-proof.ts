import { isUtf8 } from 'node:buffer'
import { type MessageData, MessageType, type UserNameProof, UserNameType } from '@farcaster/core'
import { asBuffer } from '../bytes.js'
import { type MessageKind, MessageSet } from '../message-kind.js'
import { farcasterSecondsFromUnixSeconds } from '../time.js'
import { USERNAME_PROOF_DATA_BYTES } from './data-size.js'
import { validateBasename, validateEnsName } from './username.js'
import { verifyUsernameProof } from './username-proof-claim.js'

/** The owner of an ENS name or a basename hands it to the user. Fnames come from their registry instead. */
export const usernameProof: MessageKind<UserNameProof> = {
  type: MessageType.USERNAME_PROOF,
  set: MessageSet.usernameProofs,
  side: 'add',
  body: (data) => data.usernameProofBody,
  maxDataBytes: USERNAME_PROOF_DATA_BYTES,
  validate: validateUsernameProof,
  checkClaim: async (body, _data, _message, recover) =>
    (await verifyUsernameProof(body, body.owner, recover)) ? null : 'invalid username proof signature',
  conflictKey: (body) => asBuffer(body.name),
}

/** Limits: docs/protocol.md §3.3.9; fid and timestamp must repeat those of the message. */
function validateUsernameProof(body: UserNameProof, data: MessageData): string | null {
  const fault = validateName(body)
  if (fault !== null) return fault
  if (body.fid !== data.fid) return 'fid in username proof does not match fid in message data'
  return farcasterSecondsFromUnixSeconds(body.timestamp) === data.timestamp
    ? null
    : 'timestamp in username proof does not match timestamp in message data'
}

function validateName(body: UserNameProof): string | null {
  const bytes = asBuffer(body.name)
  if (!isUtf8(bytes)) return 'ensName is not valid UTF-8'
  const name = bytes.toString('utf8')
  switch (body.type) {
    case UserNameType.USERNAME_TYPE_ENS_L1:
      return validateEnsName(name)
    case UserNameType.USERNAME_TYPE_BASENAME:
      return validateBasename(name)
    default:
      return 'invalid username type'
  }
}
