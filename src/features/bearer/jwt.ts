import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey, jwtVerify } from 'jose'
import { isRecent } from '../../platform/durations.js'
import { PlazaError } from '../../platform/errors.js'
import type { NetClient } from '../../platform/outbound/net-client.js'
import { isNetFailure } from '../../platform/outbound/net-failure.js'
import { CLOCK_SKEW_SECONDS, invalidTokenError, type JwtVerifier } from './bearer-token.js'

/** A trusted issuer of JSON Web Tokens and the URL of its public keys. */
export interface JwtIssuer {
  /** Value of `iss` in its tokens. */
  readonly issuer: string
  readonly keySetUrl: string
}

export interface JwtOptions {
  readonly net: Pick<NetClient, 'request'>
  /** Unix milliseconds. */
  readonly clock: () => number
  readonly issuers: readonly JwtIssuer[]
  /** Accepted values of `aud`. */
  readonly audiences: () => readonly string[]
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
    issuers.map(({ issuer, keySetUrl }) => [issuer, createKeySet(keySetUrl, { net, clock })]),
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

/** A key set older than this is fetched again when needed, so that withdrawn keys end. */
const FRESH_MS = 10 * 60_000
/** How long keys stay valid while the issuer is unreachable. */
const USABLE_MS = 60 * 60_000
/** Least time between two requests, so that tokens with made-up keys cause no load. */
const COOLDOWN_MS = 30_000
const DEADLINE_MS = 5_000
/** Most bytes of a key set; real ones have a few kilobytes. */
const MAX_BYTES = 65_536
const MAX_KEYS = 100
const MAX_REDIRECTS = 2

/**
 * Creates the key source of an issuer for `jwtVerify`.
 *
 * Keys are fetched on first use and cached; an unknown key id fetches them again. Concurrent requests share
 * one fetch.
 *
 * @throws PlazaError `unavailable.other_side` while there are none.
 */
function createKeySet(url: string, { net, clock }: Pick<JwtOptions, 'net' | 'clock'>): JWTVerifyGetKey {
  let fetched: { readonly find: JWTVerifyGetKey; readonly atMs: number } | null = null
  let problem = ''
  let requestedAtMs = Number.NEGATIVE_INFINITY
  let inFlight: Promise<void> | null = null

  async function fetchKeys(): Promise<void> {
    const found = await readKeySet(url, net)
    if (typeof found === 'string') problem = found
    else fetched = { find: found, atMs: clock() }
  }

  /** Fetches the keys. Returns false during the cooldown. */
  async function refresh(): Promise<boolean> {
    if (inFlight === null) {
      if (isRecent(requestedAtMs, clock(), COOLDOWN_MS)) return false
      requestedAtMs = clock()
      inFlight = fetchKeys().finally(() => {
        inFlight = null
      })
    }
    await inFlight
    return true
  }

  function current(): JWTVerifyGetKey {
    if (fetched !== null && isRecent(fetched.atMs, clock(), USABLE_MS)) return fetched.find
    const retryAfterSeconds = Math.max(1, Math.ceil((requestedAtMs + COOLDOWN_MS - clock()) / 1000))
    const message = `the keys of the token's issuer could not be fetched: ${problem}`
    throw new PlazaError('unavailable.other_side', message, { retryAfterSeconds })
  }

  return async (header, token) => {
    if (fetched === null || !isRecent(fetched.atMs, clock(), FRESH_MS)) await refresh()
    try {
      return await current()(header, token)
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey) || !(await refresh())) throw error
      return await current()(header, token)
    }
  }
}

/** Fetches and parses the key set; returns a text on failure. */
async function readKeySet(url: string, net: JwtOptions['net']): Promise<JWTVerifyGetKey | string> {
  const answer = await net.request({
    url,
    headers: { accept: 'application/jwk-set+json, application/json' },
    deadlineMs: DEADLINE_MS,
    maxBytes: MAX_BYTES,
    maxRedirects: MAX_REDIRECTS,
  })
  if (isNetFailure(answer)) return answer.detail
  if (answer.status !== 200) return `the issuer answered ${answer.status}`
  if (answer.isTruncated) return `the answer is longer than ${MAX_BYTES} bytes`
  try {
    const keySet: JSONWebKeySet = JSON.parse(Buffer.from(answer.bytes).toString())
    if (keySet.keys.length > MAX_KEYS) return `there are more than ${MAX_KEYS}`
    return createLocalJWKSet(keySet)
  } catch {
    return 'the answer is not a JSON Web Key Set'
  }
}
