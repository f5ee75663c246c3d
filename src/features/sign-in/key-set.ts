import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose'
import { PlazaError } from '../../platform/errors.js'
import type { NetClient } from '../../platform/outbound/net-client.js'
import { isNetFailure } from '../../platform/outbound/net-failure.js'

/** After this a set is fetched anew when it is next needed, so that a key that an issuer takes back ends. */
const FRESH_MS = 10 * 60_000
/** While the issuer cannot be reached, its keys are good for this long. */
const USABLE_MS = 60 * 60_000
/** At least this long between two requests: whoever sends tokens with made-up keys does not make us ask more. */
const COOLDOWN_MS = 30_000
const DEADLINE_MS = 5_000
/** Sets of keys are a few kilobytes. */
const MAX_BYTES = 65_536
const MAX_KEYS = 100
const MAX_REDIRECTS = 2

/** Where a set of public keys (RFC 7517) is found. */
export interface KeySetOptions {
  readonly url: string
  readonly net: Pick<NetClient, 'request'>
  /** Unix milliseconds. */
  readonly clock: () => number
}

interface Fetched {
  readonly find: JWTVerifyGetKey
  readonly atMs: number
}

/**
 * The keys of an issuer, for `jwtVerify`. They are fetched when they are first needed and kept; a token that names a
 * key that is not among them has them fetched again. Requests that come together wait for one fetch.
 *
 * @throws PlazaError `unavailable.other_side` while there are none.
 */
export function createKeySet({ url, net, clock }: KeySetOptions): JWTVerifyGetKey {
  let fetched: Fetched | null = null
  let problem = ''
  let requestedAtMs = Number.NEGATIVE_INFINITY
  let inFlight: Promise<void> | null = null

  async function fetchKeys(): Promise<void> {
    const found = await readKeySet(url, net)
    if (typeof found === 'string') problem = found
    else fetched = { find: found, atMs: clock() }
  }

  /** False when it was asked too recently. */
  async function refresh(): Promise<boolean> {
    if (inFlight === null) {
      if (clock() - requestedAtMs < COOLDOWN_MS) return false
      requestedAtMs = clock()
      inFlight = fetchKeys().finally(() => {
        inFlight = null
      })
    }
    await inFlight
    return true
  }

  function current(): JWTVerifyGetKey {
    if (fetched !== null && clock() - fetched.atMs < USABLE_MS) return fetched.find
    const retryAfterSeconds = Math.max(1, Math.ceil((requestedAtMs + COOLDOWN_MS - clock()) / 1000))
    throw new PlazaError(
      'unavailable.other_side',
      `the keys of the token's issuer could not be fetched: ${problem}`,
      { retryAfterSeconds },
    )
  }

  return async (header, token) => {
    if (fetched === null || clock() - fetched.atMs >= FRESH_MS) await refresh()
    try {
      return await current()(header, token)
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey) || !(await refresh())) throw error
      return await current()(header, token)
    }
  }
}

/** The keys, or why there are none. */
async function readKeySet(url: string, net: KeySetOptions['net']): Promise<JWTVerifyGetKey | string> {
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
