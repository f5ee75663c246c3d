import { type Refusal, refuse } from '../../../platform/errors.js'
import { rangeOf } from '../../../platform/outbound/address-range.js'
import { bareHost, isLocalhost, type TargetPolicy } from '../../../platform/outbound/target.js'

/** The host of a mini app. */
export interface MiniAppSite {
  /** ASCII host name in lowercase, with a non-default port. */
  readonly domain: string
  /** `https://garden.example.com` */
  readonly origin: string
}

/** Characters that end the host part of a URL. */
const invalidHostCharacters = /[\s/\\?#@%]/

/**
 * Parses the domain of a mini app. Ports are for development only: manifests are served at the default port.
 *
 * @param policy When loopback is allowed, a mini app there is reached by http.
 */
export function parseSite(text: string, policy: TargetPolicy): MiniAppSite | Refusal {
  const url = `https://${text}`
  if (invalidHostCharacters.test(text) || !URL.canParse(url)) return invalidDomain('must be a host name')
  const { host: domain, port } = new URL(url)
  const isLocal = isLocalSite(domain)
  if (port !== '' && !isLocal) return invalidDomain('must be a host name without a port')
  return { domain, origin: `${isLocal && policy.allowLoopback ? 'http' : 'https'}://${domain}` }
}

/** Whether a mini app runs on loopback. */
export function isLocalSite(domain: string): boolean {
  const name = bareHost(new URL(`https://${domain}`).hostname)
  return isLocalhost(name) || rangeOf(name) === 'loopback'
}

function invalidDomain(problem: string): Refusal {
  return refuse('bad_request.invalid_param', `${problem}, such as garden.example.com`)
}
