import { type Refusal, refuse } from '../platform/errors.js'
import { type AccountRecovery, recoverClaimant } from './account-recovery.js'
import {
  FarcasterNetwork,
  HashScheme,
  type MessageData,
  type MessageType,
  SignatureScheme,
} from './definitions.js'
import { PUBLIC_KEY_BYTES, SIGNATURE_BYTES, SignatureVerdict, signatureVerdict } from './ed25519.js'
import { isV21 } from './engine-version.js'
import { messageHash } from './hash.js'
import type { SignedMessage } from './message.js'
import { BASE_DATA_BYTES, bodyOf, MessageSet, PRO_REQUIRED, type ValidationContext } from './message-kind.js'
import { bodyKindOf, kindOf } from './message-kinds.js'
import { ALLOWED_CLOCK_SKEW_SECONDS } from './time.js'

const mainnetOnly: readonly FarcasterNetwork[] = [FarcasterNetwork.MAINNET]
const INVALID_SIGNER = 'signer is missing or invalid'
/** The networks of messages that test networks take. */
const allNetworks = [...mainnetOnly, FarcasterNetwork.TESTNET, FarcasterNetwork.DEVNET]

/**
 * Checks all rules that need neither state nor signatures, in the protocol's order (docs/protocol.md §3.2)
 * with its texts (§3.4); null if no rule is broken. `checkSignatures` is separate.
 */
export function validateStateless(message: SignedMessage, context: ValidationContext): Refusal | null {
  return validateEnvelope(message, context) ?? validateContent(message, context)
}

/** The rules that come before the signature: size, network, hash, form of the signature. */
export function validateEnvelope(message: SignedMessage, context: ValidationContext): Refusal | null {
  return refusalOf(
    validateSize(message, context) ??
      validateNetwork(message.data, context) ??
      validateHash(message) ??
      validateSignatureForm(message),
  )
}

/** The rules that come after the signature: timestamp and body. The claim in the body is last. */
export function validateContent({ data }: SignedMessage, context: ValidationContext): Refusal | null {
  return refusalOf(validateTimestamp(data, context) ?? validateBody(data, context))
}

/** Returns true if the verdict on a message depends on the tier of its sender (docs/protocol.md §3.3.13). */
export function requiresPro(message: SignedMessage): boolean {
  const { data } = message
  const dependsOnSize = kindOf(data.type)?.maxProDataBytes !== undefined
  if (dependsOnSize && message.dataBytes.length > maxDataBytes(data.type, false)) return true
  const kind = bodyKindOf(data)
  return kind?.requiresPro?.(bodyOf(kind, data)!, data) ?? false
}

/** Returns the refusal of a valid message that `requiresPro`, from a sender without the tier. */
export function proRefusal({ data, dataBytes }: SignedMessage): Refusal {
  const maxBytes = maxDataBytes(data.type, false)
  return refuse(
    'bad_request.validation_failure',
    dataBytes.length > maxBytes ? sizeText(maxBytes) : PRO_REQUIRED,
  )
}

function refusalOf(fault: string | null): Refusal | null {
  return fault === null ? null : refuse('bad_request.validation_failure', fault)
}

/**
 * Checks the signature of a message that `validateStateless` accepted, then the claim in its body. Depends on
 * the message only: any thread may run it.
 */
export async function checkSignatures(message: SignedMessage): Promise<Refusal | null> {
  return signatureRefusal(signatureVerdict(message)) ?? checkClaim(message, recoverClaimant)
}

/** Returns the refusal of a message by the verdict on its signature. */
export function signatureRefusal(verdict: number | undefined): Refusal | null {
  if (verdict === SignatureVerdict.valid) return null
  return refusalOf(verdict === SignatureVerdict.noKey ? INVALID_SIGNER : 'invalid signature')
}

/** Checks the claim in the body, the second part of `checkSignatures`. */
export async function checkClaim(message: SignedMessage, recover: AccountRecovery): Promise<Refusal | null> {
  const kind = bodyKindOf(message.data)
  if (kind?.checkClaim === undefined) return null
  return refusalOf(await kind.checkClaim(bodyOf(kind, message.data)!, message.data, message, recover))
}

/** Returns true if the body of a message has a claim. */
export function hasClaim({ data }: SignedMessage): boolean {
  return bodyKindOf(data)?.checkClaim !== undefined
}

/** Returns how many accounts `checkClaim` recovers for a message, at most. */
export function claimRecoveries({ data }: SignedMessage): number {
  const kind = bodyKindOf(data)
  return kind?.checkClaim === undefined ? 0 : (kind.claimRecoveries ?? 1)
}

function validateSize({ data, dataBytes }: SignedMessage, { isPro }: ValidationContext): string | null {
  if (dataBytes.length === 0) return 'data is missing'
  const maxBytes = maxDataBytes(data.type, isPro)
  return dataBytes.length > maxBytes ? sizeText(maxBytes) : null
}

/** The limit goes by the type, whatever the body is. */
function maxDataBytes(type: MessageType, isPro: boolean): number {
  const kind = kindOf(type)
  return (isPro ? kind?.maxProDataBytes : undefined) ?? kind?.maxDataBytes ?? BASE_DATA_BYTES
}

function sizeText(maxBytes: number): string {
  return `dataBytes > ${maxBytes} bytess`
}

function validateNetwork({ network }: MessageData, context: ValidationContext): string | null {
  const allowed = context.network === FarcasterNetwork.MAINNET ? mainnetOnly : allNetworks
  return allowed.includes(network) ? null : 'invalid network'
}

function validateHash(message: SignedMessage): string | null {
  if (message.hashScheme !== HashScheme.BLAKE3) return 'invalid hashScheme'
  return messageHash(message.dataBytes).equals(message.hash) ? null : 'invalid hash'
}

function validateSignatureForm(message: SignedMessage): string | null {
  if (message.signatureScheme !== SignatureScheme.ED25519) return 'invalid signatureScheme'
  if (message.signature.length === 0) return 'signature is missing'
  if (message.signature.length !== SIGNATURE_BYTES) return 'invalid signature'
  return message.signer.length === PUBLIC_KEY_BYTES ? null : INVALID_SIGNER
}

/** Compares a submission with the clock. For a synced message the clock of the hub that accepted it has decided. */
function validateTimestamp(data: MessageData, { now, isSynced }: ValidationContext): string | null {
  if (isSynced || data.timestamp <= now + ALLOWED_CLOCK_SKEW_SECONDS) return null
  return 'timestamp more than 10 mins in the future'
}

/** A body has the rules of its own kind. That it belongs to the type is checked in the merge (docs/protocol.md §4.12). */
function validateBody(data: MessageData, context: ValidationContext): string | null {
  const kind = bodyKindOf(data)
  if (kind === undefined) return null
  if (kind.set === MessageSet.channels && !isV21(context.network, context.now)) return 'invalid message type'
  return kind.validate(bodyOf(kind, data)!, data, context)
}
