import type { Database } from '../../../platform/db/connection.js'
import { recoverClaimant } from '../../../protocol/account-recovery.js'
import { hexOf } from '../../../protocol/bytes.js'
import { SignatureVerdict, signatureVerdict } from '../../../protocol/ed25519.js'
import { messageHash } from '../../../protocol/hash.js'
import type { SignedMessage } from '../../../protocol/message.js'
import { checkClaim, hasClaim, signatureRefusal } from '../../../protocol/validate.js'
import type { MessageCheck } from '../schema/event-log.js'

/** Checks hash, signature and claim of a message again, and whether its key may sign for its user now. */
export async function checkMessage(db: Database, message: SignedMessage): Promise<MessageCheck> {
  const hashIsValid = messageHash(message.dataBytes).equals(message.hash)
  const verdict = signatureVerdict(message)
  const claim = hasClaim(message) ? await checkClaim(message, recoverClaimant) : undefined
  const problem = hashIsValid ? (signatureRefusal(verdict) ?? claim)?.message : 'invalid hash'
  return {
    object: 'message_check',
    hash_is_valid: hashIsValid,
    signature_is_valid: verdict === SignatureVerdict.valid,
    claim_is_valid: claim === undefined ? null : claim === null,
    problem: problem ?? null,
    signer: hexOf(message.signer),
    signer_state: await readSignerState(db, message),
  }
}

async function readSignerState(
  db: Database,
  { data: { fid }, signer }: SignedMessage,
): Promise<MessageCheck['signer_state']> {
  const [row] = await db<{ active: boolean | null; by_message: boolean }[]>`
    select
      (select active from hub.signers where fid = ${fid}::bigint and key = ${signer}::bytea) as active,
      exists (
        select from hub.gasless_keys where fid = ${fid}::bigint and key = ${signer}::bytea
      ) as by_message
  `
  if (row!.active) return 'active'
  if (row!.by_message) return 'by message'
  return row!.active === null ? 'unknown' : 'removed'
}
