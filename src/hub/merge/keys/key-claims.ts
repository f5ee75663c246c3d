import { isRefusal } from '../../../platform/errors.js'
import type { AccountRecovery } from '../../../protocol/account-recovery.js'
import { MessageType } from '../../../protocol/definitions.js'
import { KEY_REMOVE_SIGNATURE_TYPE_CUSTODY } from '../../../protocol/key-rules.js'
import {
  recoverKeyAddCustody,
  recoverKeyRemoveCustody,
  type VerifiedKeyRequest,
  verifySignedKeyRequest,
} from '../../../protocol/kinds/key.js'
import type { SignedMessage } from '../../../protocol/message.js'

/** Custody address and key request that authorize a key message. Recovery takes milliseconds, so it runs before the transaction. */
export interface KeyClaim {
  /** 20 bytes; null if the message needs no custody signature or has a malformed one. */
  readonly custody: Buffer | null
  readonly request: VerifiedKeyRequest | null
}

/** Recovers the claims of all key messages of a batch. */
export async function recoverKeyClaims(
  messages: readonly SignedMessage[],
  recover: AccountRecovery,
): Promise<ReadonlyMap<SignedMessage, KeyClaim>> {
  const claims = await Promise.all(
    messages.map(async (message) => [message, await recoverKeyClaim(message, recover)] as const),
  )
  return new Map(claims.flatMap(([message, claim]) => (claim ? [[message, claim]] : [])))
}

async function recoverKeyClaim({ data }: SignedMessage, recover: AccountRecovery): Promise<KeyClaim | null> {
  if (data.keyAddBody && data.type === MessageType.KEY_ADD) {
    const [custody, request] = await Promise.all([
      recoverKeyAddCustody(data.keyAddBody, data.fid, recover),
      verifySignedKeyRequest(data.keyAddBody, data.timestamp, recover),
    ])
    return { custody, request: isRefusal(request) ? null : request }
  }
  if (data.keyRemoveBody?.signatureType === KEY_REMOVE_SIGNATURE_TYPE_CUSTODY) {
    return { custody: await recoverKeyRemoveCustody(data.keyRemoveBody, data.fid, recover), request: null }
  }
  return null
}
