import { type Refusal, refuse } from '../../../platform/errors.js'
import { rangeOf } from '../../../platform/outbound/address-range.js'
import { bareHost, isLocalhost, type TargetPolicy } from '../../../platform/outbound/target.js'

/** Where a mini app lives. */
export interface MiniAppSite {
  /** Its host name in small letters and in ASCII, and its port where that is not the usual one. */
  readonly domain: string
  /** `https://garden.example.com` */
  readonly origin: string
}

/** What separates a host from the rest of a URL. */
const invalidHostCharacters = /[\s/\\?#@%]/

/**
 * Reads the domain of a mini app. With a port only for development: a manifest is served at the usual one.
 *
 * @param policy Where loopback may be reached, a mini app there is asked by http.
 */
export function parseSite(text: string, policy: TargetPolicy): MiniAppSite | Refusal {
  const url = `https://${text}`
  if (invalidHostCharacters.test(text) || !URL.canParse(url)) return invalidDomain('must be a host name')
  const { host: domain, port } = new URL(url)
  const isLocal = isLocalSite(domain)
  if (port !== '' && !isLocal) return invalidDomain('must be a host name without a port')
  return { domain, origin: `${isLocal && policy.allowLoopback ? 'http' : 'https'}://${domain}` }
}

/** Whether a mini app is on the machine that it is developed on. */
export function isLocalSite(domain: string): boolean {
  const name = bareHost(new URL(`https://${domain}`).hostname)
  return isLocalhost(name) || rangeOf(name) === 'loopback'
}

function invalidDomain(problem: string): Refusal {
  return refuse('bad_request.invalid_param', `${problem}, such as garden.example.com`)
}
