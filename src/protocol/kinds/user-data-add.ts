import { MessageType, type UserDataBody, UserDataType } from '../definitions.js'
import { INVALID_DATA, type MessageKind, MessageSet, PRO_REQUIRED } from '../message-kind.js'
import { schema, single } from '../wire-schema.js'
import { validatePrimaryEthAddress, validatePrimarySolAddress } from './address.js'
import { validateUsername } from './username.js'

const bodySchema = schema({ 1: single('int32'), 2: single('string') })

/** USER_DATA_ADD: an entry of a profile. A later one replaces it; the empty value clears it, except GITHUB. */
export const userDataAdd: MessageKind<UserDataBody> = {
  type: MessageType.USER_DATA_ADD,
  set: MessageSet.userData,
  side: 'add',
  bodyName: 'userDataBody',
  wire: { field: 12, schema: bodySchema },
  validate({ type, value }, _data, { isPro }) {
    if (type === UserDataType.NONE) return 'invalid user data type'
    if (type === UserDataType.BANNER && !isPro) return PRO_REQUIRED
    return valueRules[type]?.(value) ?? (valueRules[type] === undefined ? INVALID_DATA : null)
  },
  requiresPro: (body) => body.type === UserDataType.BANNER,
  conflictKey: (body) => Buffer.of(body.type),
}

const LOCATION = /^geo:(-?\d{1,2}\.\d{2}),(-?\d{1,3}\.\d{2})$/
const TWITTER_PATTERN = '^[a-z0-9_]{0,15}$'
const TWITTER = new RegExp(TWITTER_PATTERN)
const GITHUB_PATTERN = '^[a-zA-Z\\d](?:[a-zA-Z\\d]|-(?!-)){0,38}$'
/** The reference node's `\d` is any decimal digit of Unicode. */
const GITHUB = new RegExp(GITHUB_PATTERN.replaceAll('\\d', '\\p{Nd}'), 'u')
const PROFILE_TOKEN = /^[a-z0-9]+:[a-zA-Z0-9]+\/[a-z0-9-]{3,8}:[-.%a-zA-Z0-9]{1,128}(\/[a-zA-Z0-9]+)?$/

/** Rules of profile entries (docs/protocol.md §3.3.7). Each returns what a value breaks, or null. */
const valueRules: Partial<Record<UserDataType, (value: string) => string | null>> = {
  [UserDataType.PFP]: maxSize(256, 'pfp'),
  [UserDataType.DISPLAY]: maxSize(32, 'display'),
  [UserDataType.BIO]: maxSize(256, 'bio'),
  [UserDataType.URL]: maxSize(256, 'url'),
  [UserDataType.USERNAME]: (name) => (name === '' ? null : validateUsername(name)),
  [UserDataType.LOCATION]: validateLocation,
  [UserDataType.TWITTER]: (name) => validateAccount(name, 15, TWITTER, TWITTER_PATTERN),
  [UserDataType.GITHUB]: (name) => validateAccount(name, 38, GITHUB, GITHUB_PATTERN),
  [UserDataType.BANNER]: maxSize(256, 'banner'),
  [UserDataType.USER_DATA_PRIMARY_ADDRESS_ETHEREUM]: validatePrimaryEthAddress,
  [UserDataType.USER_DATA_PRIMARY_ADDRESS_SOLANA]: validatePrimarySolAddress,
  [UserDataType.PROFILE_TOKEN]: validateProfileToken,
  // The reference node reports it under the name of the URL entry.
  [UserDataType.LIVE_AT]: maxSize(256, 'url'),
}

function maxSize(maxBytes: number, entry: string): (value: string) => string | null {
  return (value) => (Buffer.byteLength(value) > maxBytes ? `${entry} value > ${maxBytes}` : null)
}

function validateAccount(name: string, maxBytes: number, form: RegExp, pattern: string): string | null {
  if (Buffer.byteLength(name) > maxBytes) return `username "${name}" > ${maxBytes} characters`
  return form.test(name) ? null : `username "${name}" doesn't match ${pattern}`
}

function validateLocation(value: string): string | null {
  if (value === '') return null
  const match = LOCATION.exec(value)
  if (match === null) return 'Invalid location string'
  if (Math.abs(Number(match[1])) > 90) return 'Latitude value outside valid range'
  return Math.abs(Number(match[2])) > 180 ? 'Longitude value outside valid range' : null
}

function validateProfileToken(value: string): string | null {
  if (value === '') return null
  if (Buffer.byteLength(value) > 256) return 'CAIP-19 string too long'
  return PROFILE_TOKEN.test(value) ? null : INVALID_DATA
}
