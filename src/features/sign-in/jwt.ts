import { errors, type JWTVerifyGetKey, jwtVerify } from 'jose'
import { PlazaError } from '../../platform/errors.js'
import { CLOCK_SKEW_SECONDS, invalidTokenError, type TokenParts } from './bearer-token-parts.js'
import { createKeySet, type KeySetOptions } from './key-set.js'

/** A trusted issuer of JSON Web Tokens and the URL of its public keys. */
export interface JwtIssuer {
  /** Value of `iss` in its tokens. */
  readonly issuer: string
  readonly keySetUrl: string
}

export interface JwtOptions extends Pick<KeySetOptions, 'net' | 'clock'> {
  readonly issuers: readonly JwtIssuer[]
  /** Accepted values of `aud`. */
  readonly audiences: () => readonly string[]
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

/** Asymmetric algorithms only: with HMAC, every verifier could issue tokens (RFC 8725 §2.1). */
const algorithms = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
]

/** Creates a verifier for tokens of these issuers. Their keys are fetched on first use. */
export function createJwtVerifier({ issuers, audiences, net, clock }: JwtOptions): JwtVerifier {
  const keySets = new Map<string, JWTVerifyGetKey>(
    issuers.map(({ issuer, keySetUrl }) => [issuer, createKeySet({ url: keySetUrl, net, clock })]),
  )

  return {
    async verify(token) {
      const { iss } = token.payload
      const keySet = typeof iss === 'string' ? keySets.get(iss) : undefined
      if (keySet === undefined) throw invalidTokenError('its issuer (iss) is not trusted by this server')
      const { payload } = await jwtVerify(token.text, keySet, {
        algorithms,
        issuer: iss as string,
        audience: [...audiences()],
        requiredClaims: ['exp', 'sub'],
        clockTolerance: CLOCK_SKEW_SECONDS,
        currentDate: new Date(clock()),
      }).catch((error: unknown) => {
        throw error instanceof PlazaError ? error : invalidTokenError(problemOf(error))
      })
      return fidOf(payload)
    },
  }
}

/** Reads the fid: a number in Quick Auth, a string by RFC 7519. */
function fidOf({ sub }: { readonly sub?: unknown }): number {
  const fid = typeof sub === 'string' && /^[1-9]\d{0,15}$/.test(sub) ? Number(sub) : sub
  if (typeof fid === 'number' && Number.isSafeInteger(fid) && fid > 0) return fid
  throw invalidTokenError('sub in its payload must be a fid')
}

function problemOf(error: unknown): string {
  if (error instanceof errors.JWTExpired) return 'it has expired'
  if (error instanceof errors.JWTClaimValidationFailed) return problemOfClaim(error)
  if (error instanceof errors.JOSEAlgNotAllowed)
    return `alg in its header must be one of ${algorithms.join(', ')}`
  if (error instanceof errors.JWKSNoMatchingKey) return 'its issuer has no such key'
  if (error instanceof errors.JWKSMultipleMatchingKeys)
    return 'kid in its header must name the key of its issuer'
  if (error instanceof errors.JWSSignatureVerificationFailed)
    return "its signature is not of its issuer's key"
  return 'it is not a JSON Web Token that can be checked'
}

function problemOfClaim({ claim, reason }: errors.JWTClaimValidationFailed): string {
  if (reason === 'missing') return `${claim} is missing in its payload`
  if (reason === 'invalid') return `${claim} in its payload is not of the right kind`
  if (claim === 'aud') return 'it is meant for another audience (aud)'
  if (claim === 'nbf') return 'it is not valid yet (nbf)'
  return `${claim} in its payload is wrong`
}

/** Parses `JWT_ISSUERS`, which was validated before: comma-separated `issuer=URL of its keys`. */
export function readJwtIssuers(text: string | undefined): JwtIssuer[] {
  if (text === undefined) return []
  return text.split(',').map((pair) => {
    const [issuer = '', keySetUrl = ''] = pair.trim().split(/=(.*)/s)
    return { issuer, keySetUrl }
  })
}
