import { isUtf8 } from 'node:buffer'

import { recoverClaimant } from '../account-recovery.js'
import { asBuffer, hexOf } from '../bytes.js'
import { type MessageData, MessageType, type UserNameProof, UserNameType } from '../definitions.js'
import { type MessageKind, MessageSet } from '../message-kind.js'
import { usernameProofClaim } from '../signed-types.js'
import { farcasterSecondsFromUnixSeconds } from '../time.js'
import { schema, single } from '../wire-schema.js'
import { recoverSigner } from './typed-data.js'
import { validateBasename, validateEnsName } from './username.js'

const MAX_DATA_BYTES = 16_384
const bodySchema = schema({
  1: single('uint64'),
  2: single('bytes'),
  3: single('bytes'),
  4: single('bytes'),
  5: single('uint64'),
  6: single('int32'),
})

/**
 * USERNAME_PROOF: an ENS name or a basename. Fnames come from their registry. The signature of the proof is not
 * checked: the chain says who owns the name (docs/protocol.md §4.4).
 */
export const usernameProof: MessageKind<UserNameProof> = {
  type: MessageType.USERNAME_PROOF,
  set: MessageSet.usernameProofs,
  side: 'add',
  bodyName: 'usernameProofBody',
  wire: { field: 15, schema: bodySchema },
  maxDataBytes: MAX_DATA_BYTES,
  validate: validateUsernameProof,
  conflictKey: (body) => asBuffer(body.name),
}

/** Limits: docs/protocol.md §3.3.9; fid and timestamp must equal those of the message. */
function validateUsernameProof(body: UserNameProof, data: MessageData): string | null {
  const fault = validateName(body)
  if (fault !== null) return fault
  if (body.fid !== data.fid) return 'fid in username proof does not match fid in message data'
  return farcasterSecondsFromUnixSeconds(body.timestamp) === data.timestamp
    ? null
    : 'timestamp in username proof does not match timestamp in message data'
}

function validateName(body: UserNameProof): string | null {
  const validate = nameRules[body.type]
  if (validate === undefined) return 'invalid username type'
  const bytes = asBuffer(body.name)
  return isUtf8(bytes) ? validate(bytes.toString('utf8')) : 'Message data invalid'
}

/** The rules of the names that messages may prove. */
const nameRules: Partial<Record<UserNameType, (name: string) => string | null>> = {
  [UserNameType.USERNAME_TYPE_ENS_L1]: validateEnsName,
  [UserNameType.USERNAME_TYPE_BASENAME]: validateBasename,
}

/** Verifies that `signer`, the fname registry, signed a transfer of a name (docs/protocol.md §5.3, UserNameProof). */
export async function verifyUsernameProof(proof: UserNameProof, signer: Uint8Array): Promise<boolean> {
  const recovered = await recoverSigner(
    {
      ...usernameProofClaim,
      primaryType: 'UserNameProof',
      message: {
        name: Buffer.from(proof.name).toString('utf8'),
        timestamp: BigInt(proof.timestamp),
        owner: hexOf(proof.owner),
      },
    },
    proof.signature,
    recoverClaimant,
  )
  return recovered?.equals(signer) ?? false
}
