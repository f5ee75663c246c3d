import { type Refusal, refuse } from '../platform/errors.js'
import { parseBoundedJson } from '../platform/text/json-bounds.js'
import { ACCOUNT_SIGNATURE_BYTES } from './account-recovery.js'
import { ETH_ADDRESS_BYTES, hexOf } from './bytes.js'
import { PUBLIC_KEY_BYTES, SIGNATURE_BYTES } from './ed25519.js'
import type { MessageSigner } from './sign.js'

/** A JSON Farcaster Signature: base64url texts; `header.payload` is signed (docs/protocol.md §8.1). */
export interface JsonSignature {
  readonly header: string
  readonly payload: string
  readonly signature: string
}

/** Types of signers: an app key, the custody address, an address that may sign in for the fid. */
export const jsonSignerTypes = ['app_key', 'custody', 'auth'] as const
export type JsonSignerType = (typeof jsonSignerTypes)[number]

/** A parsed JSON Farcaster Signature. Parsing verifies nothing. */
export interface ParsedJsonSignature {
  readonly fid: number
  readonly type: JsonSignerType
  /** An Ed25519 public key (32 bytes), or an address (20 bytes). */
  readonly key: Buffer
  readonly payload: Buffer
  /** The signed bytes. */
  readonly signed: Buffer
  /** 64 bytes of an app key, 65 of an address. */
  readonly signature: Buffer
}

/** Some libraries add padding, which the standard leaves out. */
const base64url = /^[\w-]+={0,2}$/
const hexText = /^0x([\da-f]{2})+$/i

/** Parses a JSON Farcaster Signature, or returns a refusal. */
export function parseJsonSignature(sent: JsonSignature): ParsedJsonSignature | Refusal {
  const { header, payload, signature } = sent
  for (const [name, text] of Object.entries({ header, payload, signature })) {
    if (!base64url.test(text)) return invalid(`${name} must be base64url`)
  }
  const declared = readObject(Buffer.from(header, 'base64url'))
  if (declared === null) return invalid('header must be a JSON object')
  const { fid, key } = declared
  if (typeof fid !== 'number' || !Number.isSafeInteger(fid) || fid < 1) {
    return invalid('fid in the header must be a whole number from 1 on')
  }
  const type = jsonSignerTypes.find((each) => each === declared.type)
  if (type === undefined) return invalid(`type in the header must be one of ${jsonSignerTypes.join(', ')}`)
  const keyBytes = type === 'app_key' ? PUBLIC_KEY_BYTES : ETH_ADDRESS_BYTES
  if (typeof key !== 'string' || !hexText.test(key) || key.length !== 2 + 2 * keyBytes) {
    return invalid(`key in the header must be 0x and ${2 * keyBytes} hex digits`)
  }
  const signatureBytes = readSignature(Buffer.from(signature, 'base64url'), type)
  if (signatureBytes === null) return invalid('signature has not the length of one')
  return {
    fid,
    type,
    key: Buffer.from(key.slice(2), 'hex'),
    payload: Buffer.from(payload, 'base64url'),
    signed: Buffer.from(`${header}.${payload}`),
    signature: signatureBytes,
  }
}

/** Signs a JSON object for a user with an app key. */
export function signJson(fid: number, key: MessageSigner, payload: object): JsonSignature {
  const [header, body] = [{ fid, type: 'app_key', key: hexOf(key.publicKey) }, payload].map((part) =>
    Buffer.from(JSON.stringify(part)).toString('base64url'),
  ) as [string, string]
  const signature = key.signHash(Buffer.from(`${header}.${body}`)).toString('base64url')
  return { header, payload: body, signature }
}

/** Wallets return hex, and tools for manifests encode that text instead of its bytes. */
function readSignature(bytes: Buffer, type: JsonSignerType): Buffer | null {
  if (type === 'app_key') return bytes.length === SIGNATURE_BYTES ? bytes : null
  const text = bytes.toString('latin1')
  const signature = hexText.test(text) ? Buffer.from(text.slice(2), 'hex') : bytes
  return signature.length === ACCOUNT_SIGNATURE_BYTES ? signature : null
}

/** Parses a JSON object; null for any other value, and for one that is nested too deep. */
export function readObject(bytes: Buffer): Readonly<Record<string, unknown>> | null {
  try {
    const value = parseBoundedJson(bytes.toString())
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value }
  } catch {}
  return null
}

function invalid(problem: string): Refusal {
  return refuse('bad_request.invalid_param', `this is not a JSON Farcaster Signature: ${problem}`)
}
