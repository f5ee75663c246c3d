import type { LookupAddress } from 'node:dns'
import { Resolver as NameServerResolver } from 'node:dns/promises'
import { isIP, type LookupFunction } from 'node:net'
import { buildConnector } from 'undici'
import { errorCode } from '../errors.js'
import { resultWithin } from '../process/pause.js'
import { type NetFailure, NetFailureError, netFailure } from './net-failure.js'
import { bareHost, checkAddress, isLocalhost, type TargetPolicy } from './target.js'

const LOOPBACK = ['127.0.0.1', '::1']

export interface DialerOptions {
  readonly policy: TargetPolicy
  readonly resolve: Resolve
  readonly connectTimeoutMs: number
  /** Additional trusted certificates in PEM. */
  readonly ca?: string
  /** Closes every socket, also those that are still connecting. */
  readonly closing: AbortSignal
}

/**
 * Opens sockets after it has checked their address. A name is resolved once, all its addresses must be
 * allowed, and the socket connects to one of them. There is no second lookup that could return another
 * address (DNS rebinding), and a kept connection stays with the checked address. TLS and the Host header keep
 * the name.
 */
export function createDialer(options: DialerOptions): buildConnector.connector {
  const { policy, connectTimeoutMs, ca, closing } = options
  const dial = buildConnector({
    timeout: connectTimeoutMs,
    // For each address but the last. The default of Node.js, 250 ms, is less than a round trip to the other side of the world.
    autoSelectFamilyAttemptTimeout: Math.ceil(connectTimeoutMs / 2),
    signal: closing,
    lookup: checkedLookup(options),
    // Explicit, because NODE_TLS_REJECT_UNAUTHORIZED changes the default of the whole process.
    rejectUnauthorized: true,
    ...(ca === undefined ? {} : { ca }),
  })
  return (target, callback) => {
    // Sockets do not resolve addresses, so an address in the URL is checked here.
    const host = bareHost(target.hostname)
    const refusal = isIP(host) === 0 ? null : checkAddress(host, policy)
    if (refusal !== null) return callback(new NetFailureError(refusal), null)
    dial({ ...target, hostname: host }, callback)
  }
}

function checkedLookup({ policy, resolve }: DialerOptions): LookupFunction {
  async function addressesOf(host: string): Promise<LookupAddress[]> {
    const addresses = isLocalhost(host) && policy.allowLoopback ? LOOPBACK : await resolve(host)
    if (addresses.length === 0)
      throw new NetFailureError(netFailure('unknown-host', 'the name has no address'))
    for (const address of addresses) {
      const refusal = checkAddress(address, policy)
      if (refusal !== null) throw new NetFailureError(refusal)
    }
    return addresses.map((address) => ({ address, family: isIP(address) }))
  }

  return (host, { all }, callback) => {
    addressesOf(host).then(
      (addresses) => {
        if (all) callback(null, addresses)
        else callback(null, addresses[0]!.address, addresses[0]!.family)
      },
      (error: NodeJS.ErrnoException) => callback(error, ''),
    )
  }
}

/** Resolves a name to all its IPv4 and IPv6 addresses in order of preference. Rejects if there are none. */
export type Resolve = (host: string) => Promise<readonly string[]>

const QUERY_TIMEOUT_MS = 2_000
const QUERY_TRIES = 2
/** Time for AAAA, when there is an A: there are name servers that drop questions for AAAA (RFC 4074 §4.1). */
const AAAA_MS = 500
/** Time for A, when there is an AAAA: a lost question is repeated once, as many machines reach no IPv6. Connecting may take 5 s. */
const A_MS = 3_000

/**
 * Creates a resolver that queries the name servers of this machine, or the given ones. It avoids the system's
 * `getaddrinfo`, which uses search domains and the hosts file of the local network, and runs on the few
 * threads that files and compression share, so that slow names would delay them.
 */
export function nameServerResolve(servers?: readonly string[]): Resolve {
  return async (host) => {
    // One per lookup, so that it uses the current system configuration and waits for no other lookup.
    const resolver = new NameServerResolver({ timeout: QUERY_TIMEOUT_MS, tries: QUERY_TRIES })
    if (servers !== undefined) resolver.setServers(servers)
    const [ofA, ofAAAA] = [resolver.resolve4(host), resolver.resolve6(host)]
    const answers = Promise.allSettled([ofA, ofAAAA])
    const waitMs = await Promise.any([ofA.then(() => AAAA_MS), ofAAAA.then(() => A_MS)]).catch(() => null)
    // Those that are still open then end here, without addresses.
    if (waitMs !== null && (await resultWithin(waitMs, answers)) === null) resolver.cancel()
    const settled = await answers
    const addresses = settled.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
    if (addresses.length > 0) return addresses
    throw new NetFailureError(failureOf(settled))
  }
}

function failureOf(answers: readonly PromiseSettledResult<readonly string[]>[]): NetFailure {
  const codes = answers.map((answer) => (answer.status === 'rejected' ? codeOf(answer.reason) : 'ENODATA'))
  // ENODATA means no address of this family; for both families, the name has none.
  const unknown = codes.every((code) => code === 'ENOTFOUND' || code === 'ENODATA')
  if (unknown) return netFailure('unknown-host', 'the name has no address')
  // Domains that are gone, or wrongly signed, are answered so for ever.
  return codes.every((code) => code === 'ESERVFAIL' || code === 'ENODATA')
    ? netFailure('connection', 'the name servers refused the name (ESERVFAIL)')
    : netFailure('local', `the name servers of this server did not answer (${codes.join(', ')})`)
}

function codeOf(error: unknown): string {
  return errorCode(error) ?? 'unknown error'
}
