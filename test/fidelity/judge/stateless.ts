import { validateCast, validateCastRemove, validateFrameAction, validateReaction } from './cast-rules.js'
import { validateChannelBody } from './channel-rules.js'
import type { Context } from './context.js'
import { isCurvePoint, verifyEd25519 } from './ed25519.js'
import { validateKeyAdd, validateKeyRemove, validateLend } from './key-rules.js'
import { validateCompactState, validateLink } from './link-rules.js'
import { type Data, type Envelope, hashOf, hex, Type } from './message.js'
import { validateUserData, validateUsernameProof } from './profile-rules.js'
import type { Decoded } from './schema.js'
import { type Fault, invalid } from './verdict.js'
import {
  validateVerificationAdd,
  validateVerificationRemove,
  verificationClaimFault,
} from './verification-rules.js'

const CLOCK_SKEW_SECONDS = 600

/** Every check that needs no state but the sender's tier, in the reference node's order. */
export function validateStateless(message: Envelope, context: Context): Fault | null {
  const { data } = message
  if (data === undefined || message.hasEmptyDataBytes) return invalid('data is missing')
  return (
    checkSize(message, data, context) ??
    checkNetwork(data, context) ??
    checkHash(message) ??
    checkSignature(message) ??
    (data.timestamp > context.now + CLOCK_SKEW_SECONDS
      ? invalid('timestamp more than 10 mins in the future')
      : null) ??
    checkBody(data, context)
  )
}

function checkSize({ hashed }: Envelope, { type }: Data, { isPro }: Context): Fault | null {
  const limit = sizeLimit(type, isPro)
  return hashed.length > limit ? invalid(`dataBytes > ${limit} bytess`) : null
}

function sizeLimit(type: number, isPro: boolean): number {
  if (type === Type.LINK_COMPACT_STATE) return 65_536
  if (type === Type.USERNAME_PROOF) return 16_384
  return type === Type.CAST_ADD && isPro ? 16_384 : 2048
}

/** Mainnet takes its own number only; the other networks take all three. */
function checkNetwork({ network }: Data, context: Context): Fault | null {
  const isTaken = context.network === 1 ? network === 1 : network >= 1 && network <= 3
  return isTaken ? null : invalid('invalid network')
}

function checkHash(message: Envelope): Fault | null {
  if (message.hashScheme !== 1) return invalid('invalid hashScheme')
  return hex(message.hash) === hex(hashOf(message.hashed)) ? null : invalid('invalid hash')
}

function checkSignature(message: Envelope): Fault | null {
  if (message.signatureScheme !== 1) return invalid('invalid signatureScheme')
  if (message.signature.length === 0) return invalid('signature is missing')
  if (message.signer.length !== 32) return invalid('signer is missing or invalid')
  const isSigned = verifyEd25519(message.signature, message.hash, message.signer)
  // The documents do not say what a signer that is no key is called.
  return isSigned ? null : invalid(isCurvePoint(message.signer) ? 'invalid signature' : null)
}

type Rule = (body: Decoded, data: Data, context: Context) => Fault | null

const rules: Readonly<Record<string, Rule>> = {
  castAdd: validateCast,
  castRemove: validateCastRemove,
  reaction: validateReaction,
  verificationAdd: (body, data) => validateVerificationAdd(body) ?? verificationClaimFault(body, data),
  verificationRemove: validateVerificationRemove,
  userData: validateUserData,
  link: validateLink,
  usernameProof: validateUsernameProof,
  frameAction: validateFrameAction,
  linkCompactState: validateCompactState,
  lendStorage: validateLend,
  keyAdd: validateKeyAdd,
  keyRemove: validateKeyRemove,
  channelUpdate: (body) => validateChannelBody('channelUpdate', body),
  channelMember: (body) => validateChannelBody('channelMember', body),
  channelPin: (body) => validateChannelBody('channelPin', body),
  channelModerate: (body) => validateChannelBody('channelModerate', body),
}

/** The body is judged by its own kind, whatever the type says. */
function checkBody(data: Data, context: Context): Fault | null {
  const { body } = data
  if (body === undefined) return null
  if (body.name.startsWith('channel') && !context.hasChannels) return invalid('invalid message type')
  return rules[body.name]!(body.value, data, context)
}
