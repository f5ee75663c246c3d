import { Resolver as NameServerResolver } from 'node:dns/promises'
import { type NetFailure, NetFailureError, netFailure } from './net-failure.js'

/** Resolves a name to all its IPv4 and IPv6 addresses in order of preference. Rejects if there are none. */
export type Resolve = (host: string) => Promise<readonly string[]>

const QUERY_TIMEOUT_MS = 2_000
const QUERY_TRIES = 2

/**
 * Creates a resolver that queries the name servers of this machine, or the given ones. It avoids the system's
 * `getaddrinfo`, which uses search domains and the hosts file of the local network, and runs on the few
 * threads that files and compression share, so that slow names would delay them.
 */
export function nameServerResolve(servers?: readonly string[]): Resolve {
  return async (host) => {
    // One per look-up, so that it uses the current system configuration and waits for no other look-up.
    const resolver = new NameServerResolver({ timeout: QUERY_TIMEOUT_MS, tries: QUERY_TRIES })
    if (servers !== undefined) resolver.setServers(servers)
    const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
    const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
    if (addresses.length > 0) return addresses
    throw new NetFailureError(failureOf(answers))
  }
}

function failureOf(answers: readonly PromiseSettledResult<readonly string[]>[]): NetFailure {
  const codes = answers.map((answer) => (answer.status === 'rejected' ? codeOf(answer.reason) : 'ENODATA'))
  // ENODATA means no address of this family; for both families, the name has none.
  const unknown = codes.every((code) => code === 'ENOTFOUND' || code === 'ENODATA')
  return unknown
    ? netFailure('unknown-host', 'the name has no address')
    : netFailure('name-service', `the name servers did not answer (${codes.join(', ')})`)
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown error'
}
