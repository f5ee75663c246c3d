import { PlazaError } from '../../platform/errors.js'
import { readObject } from '../../protocol/json-signature.js'

/** The parts of a token: base64url, separated by dots. */
export interface TokenParts {
  /** The whole token. */
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
export function tokenOfHeader(authorization: string): string {
  const header = authorization.trim()
  if (header.length > MAX_TOKEN_LENGTH)
    throw invalidTokenError(`it is longer than ${MAX_TOKEN_LENGTH} characters`)
  const [, token] = bearerHeader.exec(header) ?? []
  if (token !== undefined) return token
  throw new PlazaError('unauthenticated', 'a bearer token is needed, as authorization: Bearer <token>', {
    property: 'authorization',
  })
}

/**
 * Parses a token without verifying it.
 *
 * @throws PlazaError `unauthenticated` for a malformed token.
 */
export function readToken(token: string): TokenParts {
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
  return new PlazaError('unauthenticated', `the bearer token is refused: ${problem}`, {
    property: 'authorization',
  })
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
