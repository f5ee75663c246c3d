import type { Database } from '../../platform/db/connection.js'
import { verifyEd25519 } from '../../protocol/ed25519.js'
import { CLOCK_SKEW_SECONDS, invalidTokenError, type TokenParts } from './bearer-token-parts.js'

/**
 * Tokens signed by an app key, as JSON Farcaster Signature (docs/compatibility.md §2.3).
 *
 * The header is `{fid, type: "app_key", key}` with the key as 0x and 64 hex digits, the payload `{exp}` in
 * Unix seconds, and the signature is Ed25519 over the ASCII text `header.payload`.
 */
const APP_KEY_TYPE = 'app_key'

/**
 * Most seconds until expiry; five minutes are usual.
 *
 * Only expiry and removal of the key end a token, so a leaked one must be short-lived.
 */
const MAX_AHEAD_SECONDS = 600

/** Keys of this type act for users; other keys only authenticate (docs/protocol.md §4.10). */
const SIGNING_KEY_TYPE = 1
const hexKey = /^0x[\da-f]{64}$/i

/** Whether the token's header claims an app key signature. */
export function isAppKeyToken({ header }: TokenParts): boolean {
  return header.type === APP_KEY_TYPE
}

/**
 * Returns the user whose active app key signed the token.
 *
 * @param nowSeconds Unix seconds.
 * @throws PlazaError `unauthenticated`.
 */
export async function verifyAppKeyToken(
  db: Database,
  token: TokenParts,
  nowSeconds: number,
): Promise<number> {
  const { fid, key } = token.header
  if (typeof fid !== 'number' || !Number.isSafeInteger(fid) || fid < 1) {
    throw invalidTokenError('fid in its header must be a whole number from 1 on')
  }
  if (typeof key !== 'string' || !hexKey.test(key)) {
    throw invalidTokenError('key in its header must be an Ed25519 public key, 0x and 64 hex digits')
  }
  const publicKey = Buffer.from(key.slice(2), 'hex')
  if (!verifyEd25519(token.signature, Buffer.from(token.signed), publicKey)) {
    throw invalidTokenError('its signature is not of the key in its header')
  }
  // A token sent to an app for an action (docs/publishing.md) must not authenticate its receiver.
  if ('aud' in token.payload) throw invalidTokenError('it is for another receiver: aud in its payload is set')
  checkExpiry(token.payload.exp, nowSeconds)
  if (!(await isActiveAppKey(db, fid, publicKey)))
    throw invalidTokenError(`its key is not an active key of fid ${fid}`)
  return fid
}

function checkExpiry(expiresAt: unknown, nowSeconds: number): void {
  if (typeof expiresAt !== 'number')
    throw invalidTokenError('exp in its payload must be a number of Unix seconds')
  if (expiresAt + CLOCK_SKEW_SECONDS <= nowSeconds) throw invalidTokenError('it has expired')
  if (expiresAt - CLOCK_SKEW_SECONDS > nowSeconds + MAX_AHEAD_SECONDS) {
    throw invalidTokenError(`exp in its payload is more than ${MAX_AHEAD_SECONDS} seconds from now`)
  }
}

async function isActiveAppKey(db: Database, fid: number, key: Buffer): Promise<boolean> {
  const rows = await db`
    select from hub.signers
    where fid = ${fid} and key = ${key} and key_type = ${SIGNING_KEY_TYPE} and active
  `
  return rows.length > 0
}
