import { type Refusal, refuse } from '../platform/errors.js'
import { type AccountRecovery, recoverAccount } from './account-recovery.js'
import { FarcasterNetwork, HashScheme, type MessageData, SignatureScheme } from './definitions.js'
import { PUBLIC_KEY_BYTES, SIGNATURE_BYTES, verifyEd25519 } from './ed25519.js'
import { isV21 } from './engine-version.js'
import { messageHash } from './hash.js'
import type { SignedMessage } from './message.js'
import { BASE_DATA_BYTES, bodyOf, MessageSet, type ValidationContext } from './message-kind.js'
import { type AnyMessageKind, bodyNames, kindOf } from './message-kinds.js'
import { ALLOWED_CLOCK_SKEW_SECONDS } from './time.js'

/**
 * Checks all rules that need neither state nor signatures, in the protocol's order (docs/protocol.md §3.2)
 * with its texts (§3.4); null if no rule is broken. `requiresPro` and `checkSignatures` are separate.
 */
export function validateStateless(message: SignedMessage, context: ValidationContext): Refusal | null {
  const kind = kindOf(message.data.type)
  const fault =
    validateSize(message, kind) ??
    validateNetwork(message.data, context) ??
    validateHash(message) ??
    validateSignatureForm(message) ??
    validateTimestamp(message.data, context) ??
    validateBody(message.data, kind, context)
  return fault === null ? null : refuse('bad_request.validation_failure', fault)
}

/** Returns true if a message needs the pro tier, for its body or its size (docs/protocol.md §3.3.13). */
export function requiresPro(message: SignedMessage): boolean {
  const kind = kindOf(message.data.type)
  if (kind === undefined) return false
  const { maxDataBytes = BASE_DATA_BYTES, maxProDataBytes } = kind
  if (maxProDataBytes !== undefined && message.dataBytes.length > maxDataBytes) return true
  const body = bodyOf(kind, message.data)
  return body !== undefined && (kind.requiresPro?.(body, message.data) ?? false)
}

/**
 * Checks the signature of a message that `validateStateless` accepted, then the claim in its body. Depends on
 * the message only: any thread may run it.
 */
export async function checkSignatures(message: SignedMessage): Promise<Refusal | null> {
  const { signature, hash, signer } = message
  return verifyEd25519(signature, hash, signer) ? checkClaim(message, recoverAccount) : invalidSignature
}

/** The refusal of a message that its signer did not sign. */
export const invalidSignature = refuse('bad_request.validation_failure', 'invalid signature')

/** Checks the claim in the body, the second part of `checkSignatures`. */
export async function checkClaim(message: SignedMessage, recover: AccountRecovery): Promise<Refusal | null> {
  const kind = kindOf(message.data.type)
  if (kind?.checkClaim === undefined) return null
  const body = bodyOf(kind, message.data)
  if (body === undefined) return null
  const fault = await kind.checkClaim(body, message.data, message, recover)
  return fault === null ? null : refuse('bad_request.validation_failure', fault)
}

/** Returns true if the type of a message has a claim. */
export function hasClaim(message: SignedMessage): boolean {
  return kindOf(message.data.type)?.checkClaim !== undefined
}

function validateSize(message: SignedMessage, kind: AnyMessageKind | undefined): string | null {
  if (message.dataBytes.length === 0) return 'data is missing'
  const maxBytes = kind?.maxProDataBytes ?? kind?.maxDataBytes ?? BASE_DATA_BYTES
  return message.dataBytes.length > maxBytes ? `dataBytes > ${maxBytes} bytess` : null
}

function validateNetwork(data: MessageData, context: ValidationContext): string | null {
  const isOurs = data.network === context.network && data.network !== FarcasterNetwork.NONE
  return isOurs ? null : 'invalid network'
}

function validateHash(message: SignedMessage): string | null {
  if (message.hashScheme !== HashScheme.BLAKE3) return 'invalid hashScheme'
  return messageHash(message.dataBytes).equals(message.hash) ? null : 'invalid hash'
}

function validateSignatureForm(message: SignedMessage): string | null {
  if (message.signatureScheme !== SignatureScheme.ED25519) return 'invalid signatureScheme'
  if (message.signature.length === 0) return 'signature is missing'
  if (message.signature.length !== SIGNATURE_BYTES) return 'invalid signature'
  return message.signer.length === PUBLIC_KEY_BYTES ? null : 'signer is missing or invalid'
}

function validateTimestamp(data: MessageData, context: ValidationContext): string | null {
  return data.timestamp > context.now + ALLOWED_CLOCK_SKEW_SECONDS
    ? 'timestamp more than 10 mins in the future'
    : null
}

function validateBody(
  data: MessageData,
  kind: AnyMessageKind | undefined,
  context: ValidationContext,
): string | null {
  if (kind === undefined) return 'invalid message type'
  if (kind.set === MessageSet.channels && !isV21(context.network, context.now)) return 'invalid message type'
  const body = bodyOf(kind, data)
  if (body === undefined) return 'invalid message type'
  if (bodyNames.filter((name) => data[name] !== undefined).length > 1) return 'only one body can be set'
  return data.fid === 0 ? 'fid is missing' : kind.validate(body, data, context)
}
