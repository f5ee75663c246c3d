import { isIP } from 'node:net'
import { parseUrl } from '../text/parse-url.js'
import { type AddressRange, rangeOf } from './address-range.js'
import { type NetFailure, netFailure } from './net-failure.js'

/** Targets that a caller may connect to. Address ranges are fixed, except loopback. */
export interface TargetPolicy {
  /** Allows http in addition to https. */
  readonly allowHttp: boolean
  /** For development and tests: allows 127.0.0.0/8, ::1 and `localhost`, but no other private address. */
  readonly allowLoopback: boolean
  /** Allowed ports. Default: all except `blockedPorts`. */
  readonly ports?: readonly number[]
}

const MAX_URL_LENGTH = 2_048

/** Ports that HTTP could be abused for, as browsers block them (Fetch standard, "port blocking"). */
const blockedPorts: ReadonlySet<number> = new Set([
  0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104,
  109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515,
  526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049,
  3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
])

/**
 * Top-level labels that no public name has: special-use names (RFC 6761, 6762, 7686, 8375, 9476), `internal`
 * as reserved by ICANN in 2024, and names of routers, offices and clusters.
 */
const privateSuffixes: ReadonlySet<string> = new Set([
  'alt',
  'arpa',
  'corp',
  'example',
  'home',
  'internal',
  'intranet',
  'invalid',
  'lan',
  'local',
  'localdomain',
  'localhost',
  'mail',
  'onion',
  'private',
  'svc',
  'test',
])

/**
 * Parses a URL and checks it against the policy, without resolving its name. The URL standard normalizes the
 * host first: `0x7f.1`, `2130706433` and `①②⑦.1` are all `127.0.0.1`.
 */
export function checkTarget(urlText: string | URL, policy: TargetPolicy): URL | NetFailure {
  if (String(urlText).length > MAX_URL_LENGTH) return netFailure('invalid-url', 'the URL is too long')
  const url = parseUrl(String(urlText))
  if (url === null) return netFailure('invalid-url', 'this is not an absolute URL')
  if (url.protocol !== 'https:' && !(policy.allowHttp && url.protocol === 'http:')) {
    return netFailure('forbidden-scheme', `${url.protocol}// is not fetched`)
  }
  if (url.username !== '' || url.password !== '') {
    return netFailure('forbidden-credentials', 'a URL with a user name or a password is not fetched')
  }
  const port = portOf(url)
  if (policy.ports === undefined ? blockedPorts.has(port) : !policy.ports.includes(port)) {
    return netFailure('forbidden-port', `port ${port} is not dialled`)
  }
  return checkHost(bareHost(url.hostname), policy) ?? url
}

/** The host for resolvers and sockets: an IPv6 address without brackets. */
export function bareHost(hostname: string): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname
}

/** `localhost` and the names below it, which are loopback by definition (RFC 6761 §6.3). */
export function isLocalhost(host: string): boolean {
  return lastLabel(host) === 'localhost'
}

/** The reason why this address is not allowed, or null. */
export function checkAddress(
  address: string,
  policy: Pick<TargetPolicy, 'allowLoopback'>,
): NetFailure | null {
  const range: AddressRange = rangeOf(address)
  if (range === 'public' || (range === 'loopback' && policy.allowLoopback)) return null
  return netFailure('forbidden-address', 'the target is not on the public internet')
}

function checkHost(host: string, policy: TargetPolicy): NetFailure | null {
  if (isIP(host) !== 0) return checkAddress(host, policy)
  if (isLocalhost(host) && policy.allowLoopback) return null
  const name = host.replace(/\.$/, '')
  if (!name.includes('.') || privateSuffixes.has(lastLabel(host))) {
    return netFailure('forbidden-host', 'the target is not a public name')
  }
  return null
}

function lastLabel(host: string): string {
  const name = host.replace(/\.$/, '')
  return name.slice(name.lastIndexOf('.') + 1)
}

function portOf(url: URL): number {
  if (url.port !== '') return Number(url.port)
  return url.protocol === 'https:' ? 443 : 80
}
