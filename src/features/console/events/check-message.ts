import type { Database } from '../../../platform/db/connection.js'
import { recoverClaimant } from '../../../protocol/account-recovery.js'
import { hexOf } from '../../../protocol/bytes.js'
import { SignatureVerdict, signatureVerdict } from '../../../protocol/ed25519.js'
import { messageHash } from '../../../protocol/hash.js'
import type { SignedMessage } from '../../../protocol/message.js'
import { checkClaim, hasClaim, signatureRefusal } from '../../../protocol/validate.js'
import type { MessageCheck } from '../schema/event-log.js'

/**
 * Checks hash, signature and claim of a message again, and whether its key may sign for its user now.
 *
 * @param now Farcaster seconds.
 */
export async function checkMessage(db: Database, message: SignedMessage, now: number): Promise<MessageCheck> {
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
    signer_state: await readSignerState(db, message, now),
  }
}

async function readSignerState(
  db: Database,
  { data: { fid }, signer }: SignedMessage,
  now: number,
): Promise<MessageCheck['signer_state']> {
  const [row] = await db<{ active: boolean | null; expired: boolean | null }[]>`
    select
      (select active from hub.signers where fid = ${fid}::bigint and key = ${signer}::bytea) as active,
      (
        select last_used_at + ttl_seconds < ${now}::bigint
        from hub.gasless_keys
        where fid = ${fid}::bigint and key = ${signer}::bytea
      ) as expired
  `
  if (row!.active) return 'active'
  if (row!.expired !== null) return row!.expired ? 'expired' : 'by message'
  return row!.active === null ? 'unknown' : 'removed'
}
