import type { UserNameProof } from '@farcaster/core'
import { hexOf } from '../../../protocol/bytes.js'
import { base64, utf8 } from './bytes.js'
import { nameOf, usernameTypeNames } from './enum-names.js'

/** Maps a proof that a name belongs to a fid, alone or as a message body (docs/protocol.md §1.2). */
export function usernameProofJson(proof: UserNameProof) {
  return {
    // Unix seconds, unlike every other timestamp of a message.
    timestamp: proof.timestamp,
    name: utf8(proof.name),
    owner: hexOf(proof.owner),
    signature: base64(proof.signature),
    fid: proof.fid,
    type: nameOf(usernameTypeNames, proof.type),
  }
}
