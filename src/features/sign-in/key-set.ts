import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose'
import { PlazaError } from '../../platform/errors.js'
import type { NetClient } from '../../platform/outbound/net-client.js'
import { isNetFailure } from '../../platform/outbound/net-failure.js'

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

/** Where to fetch a set of public keys (RFC 7517). */
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
 * Creates the key source of an issuer for `jwtVerify`.
 *
 * Keys are fetched on first use and cached; an unknown key id fetches them again. Concurrent requests share
 * one fetch.
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

  /** Fetches the keys. Returns false during the cooldown. */
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

/** Fetches and parses the key set; returns a text on failure. */
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
