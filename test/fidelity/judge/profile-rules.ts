import { keccak_256 } from '@noble/hashes/sha3'
import base58 from 'bs58'
import type { Context } from './context.js'
import { type Data, hex } from './message.js'
import type { Decoded } from './schema.js'
import { type Fault, invalid } from './verdict.js'

/** User data, names and username proofs. Lengths are in bytes. */

const byteLength = (text: string) => Buffer.byteLength(text, 'utf8')

const LABEL = '^[a-z0-9][a-z0-9-]{0,15}$'
const TWITTER = '^[a-z0-9_]{0,15}$'
const GITHUB = '^[a-zA-Z\\d](?:[a-zA-Z\\d]|-(?!-)){0,38}$'
const LOCATION = /^geo:(-?\p{Nd}{1,2}\.\p{Nd}{2}),(-?\p{Nd}{1,3}\.\p{Nd}{2})$/u

/** In the patterns `\d` is any decimal digit of Unicode. */
const matches = (pattern: string, text: string) =>
  new RegExp(pattern.replaceAll('\\d', '\\p{Nd}'), 'u').test(text)

const unnamed = invalid('Message data invalid')

/** Returns the fault of the body of user data, whose limits are in bytes; null without one. */
export function validateUserData(body: Decoded, _data: Data, { isPro }: Context): Fault | null {
  const value = body.value as string
  const atMost = (limit: number, text: string | null) =>
    byteLength(value) > limit ? invalid(text && `${text} > ${limit}`) : null
  switch (body.type as number) {
    case 0:
      return invalid('invalid user data type')
    case 1:
      return atMost(256, 'pfp value')
    case 2:
      return atMost(32, 'display value')
    case 3:
      return atMost(256, 'bio value')
    case 5:
      return atMost(256, 'url value')
    case 6:
      return validateUsername(value)
    case 7:
      return validateLocation(value)
    case 8:
      return validateHandle(value, 15, TWITTER)
    case 9:
      return validateHandle(value, 38, GITHUB)
    case 10:
      return isPro ? atMost(256, 'banner value') : invalid('Pro subscription required')
    case 11:
      return value === '' || isChecksummed(value) ? null : invalid(null)
    case 12:
      return value === '' || isSolanaAddress(value) ? null : invalid(null)
    case 13:
      return validateProfileToken(value)
    case 14:
      return atMost(256, null)
    default:
      return unnamed
  }
}

function validateHandle(value: string, limit: number, pattern: string): Fault | null {
  if (byteLength(value) > limit) return invalid(`username "${value}" > ${limit} characters`)
  return matches(pattern, value) ? null : invalid(`username "${value}" doesn't match ${pattern}`)
}

function validateLocation(value: string): Fault | null {
  if (value === '') return null
  const match = LOCATION.exec(value)
  if (match === null) return invalid('Invalid location string')
  const [latitude, longitude] = [match[1]!, match[2]!]
  const isAscii = /^[-.0-9]+$/.test(latitude + longitude)
  if (!isAscii) return invalid('Invalid location string')
  return Math.abs(Number(latitude)) > 90 || Math.abs(Number(longitude)) > 180 ? invalid(null) : null
}

function isChecksummed(value: string): boolean {
  if (!/^0x[0-9a-fA-F]{40}$/.test(value)) return false
  const digits = value.slice(2)
  const digest = hex(keccak_256(new TextEncoder().encode(digits.toLowerCase())))
  const expected = [...digits.toLowerCase()].map((digit, index) =>
    Number.parseInt(digest[index]!, 16) >= 8 ? digit.toUpperCase() : digit,
  )
  return expected.join('') === digits
}

function isSolanaAddress(value: string): boolean {
  try {
    return base58.decode(value).length === 32
  } catch {
    return false
  }
}

function validateProfileToken(value: string): Fault | null {
  if (value === '') return null
  if (byteLength(value) > 256) return invalid('CAIP-19 string too long')
  const caip19 =
    /^[-a-z0-9]{3,8}:[-_a-zA-Z0-9]{1,32}\/[-a-z0-9]{3,8}:[-.%a-zA-Z0-9]{1,128}(\/[-.%a-zA-Z0-9]{1,78})?$/
  return caip19.test(value) ? null : unnamed
}

function validateUsername(name: string): Fault | null {
  if (name === '') return null
  if (name.endsWith('.base.eth')) return validateBasename(name)
  if (name.endsWith('.eth')) return validateEnsName(name)
  return validateFname(name)
}

function validateFname(name: string): Fault | null {
  if (byteLength(name) > 16) return invalid(`fname "${name}" > 16 characters`)
  return matches(LABEL, name) ? null : invalid(`fname "${name}" doesn't match ${LABEL}`)
}

/** Labels are looked at before the length; the pattern holds for the first label only. */
function validateEnsName(name: string): Fault | null {
  const labels = name.split('.')
  if (!name.endsWith('.eth')) return invalid(`ensName "${name}" doesn't end with .eth`)
  if (labels.includes('')) return invalid(`ensName "${name}" is not a valid ENS name`)
  if (labels.length > 2) return invalid(`ensName "${name}" unsupported subdomain`)
  if (byteLength(name) > 20) return invalid(`ensName "${name}" > 20 characters`)
  return matches(LABEL, labels[0]!) ? null : invalid(`ensName "${name}" doesn't match ${LABEL}`)
}

function validateBasename(name: string): Fault | null {
  const labels = name.split('.')
  if (labels.length !== 3 || labels.includes('') || !name.endsWith('.base.eth')) return unnamed
  if (byteLength(name) > 25) return invalid(null)
  return matches(LABEL, labels[0]!) ? null : invalid(null)
}

/** The proof's own signature, timestamp and fid are looked at nowhere. */
export function validateUsernameProof(body: Decoded): Fault | null {
  if (body.type !== 2 && body.type !== 3) return invalid('invalid username type')
  let name: string
  try {
    name = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body.name as Uint8Array)
  } catch {
    return unnamed
  }
  return body.type === 2 ? validateEnsName(name) : validateBasename(name)
}
