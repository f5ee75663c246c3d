import type { Database } from '../../platform/db/connection.js'
import { PlazaError } from '../../platform/errors.js'
import { bytesOfHex } from '../../protocol/bytes.js'
import { verifyEd25519 } from '../../protocol/ed25519.js'
import { readObject } from '../../protocol/json-signature.js'
import { KEY_TYPE_ED25519 } from '../../protocol/key-rules.js'

/** The parts of a token: base64url, separated by dots. */
export interface TokenParts {
  readonly text: string
  /** The signed text: ASCII `header.payload`. */
  readonly signed: string
  readonly header: Readonly<Record<string, unknown>>
  readonly payload: Readonly<Record<string, unknown>>
  readonly signature: Buffer
}

/** Longest accepted token. Tokens of both kinds have a few hundred characters. */
const MAX_TOKEN_LENGTH = 4_096

/** Tolerated clock skew of token issuers. */
export const CLOCK_SKEW_SECONDS = 30

/** `Bearer <token>` as in RFC 6750; the scheme is case-insensitive (RFC 9110 §11.1). */
const bearerHeader = /^bearer +(\S+)$/i

/**
 * Extracts the token from an `authorization` header.
 *
 * @throws PlazaError `unauthenticated` when it holds none, or a too long one.
 */
function tokenOfHeader(authorization: string): string {
  const header = authorization.trim()
  if (header.length > MAX_TOKEN_LENGTH)
    throw invalidTokenError(`it is longer than ${MAX_TOKEN_LENGTH} characters`)
  const [, token] = bearerHeader.exec(header) ?? []
  if (token !== undefined) return token
  const message = 'a bearer token is needed, as authorization: Bearer <token>'
  throw new PlazaError('unauthenticated', message, { property: 'authorization' })
}

/** Parses a token without verifying it. Throws `unauthenticated` for a malformed token. */
function readToken(token: string): TokenParts {
  const [header, payload, signature, ...extraPart] = token.split('.').map(decodePart)
  if (!header || !payload || !signature || extraPart.length > 0) {
    throw invalidTokenError('it must be three parts in base64url with dots between them')
  }
  return {
    text: token,
    signed: token.slice(0, token.lastIndexOf('.')),
    header: objectIn(header, 'header'),
    payload: objectIn(payload, 'payload'),
    signature,
  }
}

/** Builds a 401 that describes the problem without repeating the token. */
export function invalidTokenError(problem: string): PlazaError {
  const message = `the bearer token is refused: ${problem}`
  return new PlazaError('unauthenticated', message, { property: 'authorization' })
}

/** Decodes base64url strictly: null for a non-canonical spelling, which would make signatures malleable. */
function decodePart(part: string): Buffer | null {
  const bytes = Buffer.from(part, 'base64url')
  return bytes.length > 0 && bytes.toString('base64url') === part ? bytes : null
}

function objectIn(bytes: Buffer, name: string): Readonly<Record<string, unknown>> {
  const members = readObject(bytes)
  if (members === null) throw invalidTokenError(`its ${name} is not a JSON object`)
  return members
}

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

const hexKey = /^0x[\da-f]{64}$/i

/** Returns the user whose active app key signed the token. Throws `unauthenticated`. */
async function verifyAppKeyToken(db: Database, token: TokenParts, nowSeconds: number): Promise<number> {
  const { fid, key } = token.header
  if (typeof fid !== 'number' || !Number.isSafeInteger(fid) || fid < 1) {
    throw invalidTokenError('fid in its header must be a whole number from 1 on')
  }
  if (typeof key !== 'string' || !hexKey.test(key)) {
    throw invalidTokenError('key in its header must be an Ed25519 public key, 0x and 64 hex digits')
  }
  const publicKey = bytesOfHex(key)
  if (!verifyEd25519(token.signature, Buffer.from(token.signed), publicKey)) {
    throw invalidTokenError('its signature is not of the key in its header')
  }
  // A token sent to an app for an action (docs/publishing.md) must not authenticate its receiver.
  if ('aud' in token.payload) throw invalidTokenError('it is for another receiver: aud in its payload is set')
  checkExpiry(token.payload.exp, nowSeconds)
  const active = await db`
    select from hub.signers
    where fid = ${fid} and key = ${publicKey} and key_type = ${KEY_TYPE_ED25519} and active
  `
  if (active.length === 0) throw invalidTokenError(`its key is not an active key of fid ${fid}`)
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

/** Verifies JSON Web Tokens (RFC 7519) whose `sub` is a fid, such as those of Farcaster Quick Auth. */
export interface JwtVerifier {
  /**
   * Returns the user that a token was issued for.
   *
   * @throws PlazaError `unauthenticated`; `unavailable.other_side` when the issuer's keys cannot be fetched.
   */
  verify(token: TokenParts): Promise<number>
}

/** Verifies the bearer tokens of users. */
export interface BearerVerifier {
  /**
   * Returns the user that a token authenticates.
   *
   * @throws PlazaError `unauthenticated` with the reason; `unavailable.other_side` when the issuer's keys
   * cannot be fetched.
   */
  verify(authorization: string): Promise<{ readonly fid: number }>
}

export interface BearerVerifierOptions {
  readonly db: Database
  /** Unix milliseconds. */
  readonly clock: () => number
  /** Verifies issuers' tokens; without it only app key tokens are accepted. */
  readonly jwt?: JwtVerifier | undefined
}

/** Creates the verifier of bearer tokens. Format and use: docs/apps.md. */
export function createBearerVerifier({ db, clock, jwt }: BearerVerifierOptions): BearerVerifier {
  return {
    async verify(authorization) {
      const token = readToken(tokenOfHeader(authorization))
      if (token.header.type === APP_KEY_TYPE)
        return { fid: await verifyAppKeyToken(db, token, clock() / 1000) }
      if (jwt !== undefined) return { fid: await jwt.verify(token) }
      throw invalidTokenError('type in its header must be app_key: this server trusts no token issuers')
    },
  }
}
