import { PlazaError } from '../../platform/errors.js'
import { readObject } from '../../protocol/json-signature.js'

/** A token in its parts, which are sent in base64url with dots between them. */
export interface TokenParts {
  /** All of it, as it was sent. */
  readonly text: string
  /** What the signature is over: the ASCII text `header.payload`. */
  readonly signed: string
  readonly header: Readonly<Record<string, unknown>>
  readonly payload: Readonly<Record<string, unknown>>
  readonly signature: Buffer
}

/** Tokens of both kinds are a few hundred characters; none needs a chain of certificates in its header. */
const MAX_TOKEN_LENGTH = 4_096

/** How far the clocks of those who make tokens may be from ours. */
export const CLOCK_SKEW_SECONDS = 30

/** `Bearer <token>`, as RFC 6750 has it; the scheme in any case (RFC 9110 §11.1). */
const bearerHeader = /^bearer +(\S+)$/i

/**
 * The token of an `authorization` header.
 *
 * @throws PlazaError `unauthenticated` when it holds none, or one that is too long.
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
 * Takes a token apart. Nothing of it is proven by that.
 *
 * @throws PlazaError `unauthenticated` when it has not the form of one.
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

/** A 401 that says what is wrong with a token, and repeats nothing of it. */
export function invalidTokenError(problem: string): PlazaError {
  return new PlazaError('unauthenticated', `the bearer token is refused: ${problem}`, {
    property: 'authorization',
  })
}

/** Null unless it is the one spelling of its bytes: base64url lets the last character vary, a signature must not. */
function decodePart(part: string): Buffer | null {
  const bytes = Buffer.from(part, 'base64url')
  return bytes.length > 0 && bytes.toString('base64url') === part ? bytes : null
}

function objectIn(bytes: Buffer, name: string): Readonly<Record<string, unknown>> {
  const members = readObject(bytes)
  if (members === null) throw invalidTokenError(`its ${name} is not a JSON object`)
  return members
}
