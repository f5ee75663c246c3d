import { isIP } from 'node:net'
import { resultWithin } from '../process/pause.js'
import { PromiseCache } from '../promise-cache.js'
import { parseUrl } from '../text/parse-url.js'
import { rangeOf } from './address-range.js'
import { nameServerResolve, type Resolve } from './dialer.js'
import { type NetFailure, netFailure } from './net-failure.js'
import { bareHost, checkAddress, isLocalhost, type TargetPolicy } from './target.js'

/** Checks URLs that requests give and the server keeps, before they are stored. */
export interface SavedTargets {
  /**
   * The reason why a URL may not be stored, or null. Beyond `checkTarget`, which callers apply to what is fetched, it
   * refuses ports that no web server has, and names that now resolve to an address that is not public. A name that does
   * not resolve in time passes: DNS may be slow, or the record not there yet, and the dialer checks again anyway.
   */
  refusalOf(url: string | URL): Promise<NetFailure | null>
}

/** Accepts everything: for networks whose names resolve differently inside (split DNS). */
export const uncheckedTargets: SavedTargets = { refusalOf: async () => null }

export interface SavedTargetsOptions {
  readonly policy: Pick<TargetPolicy, 'allowLoopback'>
  /** Unix milliseconds. */
  readonly clock: () => number
  /** Resolver of names. Default: the name servers of this machine. */
  readonly resolve?: Resolve
  readonly timeoutMs?: number
}

/** A save waits this long for DNS, beyond which it passes. */
const TIMEOUT_MS = 1_500
/** A name that many requests save is looked up once a minute. */
const CACHE_MS = 60_000
const MAX_CACHED_NAMES = 10_000

/** Ports below this one belong to well-known services (RFC 6335 §6); of these, web servers have two. */
const FIRST_USER_PORT = 1_024
const webPorts: ReadonlySet<number> = new Set([80, 443])

/** Creates the check of URLs that are to be stored. */
export function createSavedTargets({
  policy,
  clock,
  resolve = nameServerResolve(),
  timeoutMs = TIMEOUT_MS,
}: SavedTargetsOptions): SavedTargets {
  const cache = new PromiseCache<readonly string[]>({ max: MAX_CACHED_NAMES, ttlMs: CACHE_MS, clock })
  // The lookup itself ends by its own limits.
  const addressesOf = (host: string) =>
    cache.read(host, async () => (await resultWithin(timeoutMs, resolve(host)).catch(() => null)) ?? [])
  return {
    async refusalOf(urlText) {
      const url = parseUrl(String(urlText))
      if (url === null || !/^https?:$/.test(url.protocol)) return null
      const port = Number(url.port)
      if (port !== 0 && port < FIRST_USER_PORT && !webPorts.has(port)) {
        return netFailure(
          'forbidden-port',
          `port ${port} is not one of a web server: 80, 443, or 1024 and above`,
        )
      }
      const host = bareHost(url.hostname)
      // Whether loopback by name or address is allowed depends on the use, and is checked there.
      if (isLocalhost(host) || rangeOf(host) === 'loopback') return null
      const addresses = isIP(host) === 0 ? await addressesOf(host) : [host]
      return (
        addresses.map((address) => checkAddress(address, policy)).find((refusal) => refusal !== null) ?? null
      )
    },
  }
}
