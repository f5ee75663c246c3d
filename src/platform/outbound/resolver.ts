import { Resolver as NameServerResolver } from 'node:dns/promises'
import { type NetFailure, NetFailureError, netFailure } from './net-failure.js'

/** All IPv4 and IPv6 addresses of a name, in the order in which they are to be tried. Rejects if there are none. */
export type Resolve = (host: string) => Promise<readonly string[]>

const QUERY_TIMEOUT_MS = 2_000
const QUERY_TRIES = 2

/**
 * Asks name servers: those of this machine, or these. Not by way of the system's own `getaddrinfo`: that one
 * knows search domains and a hosts file, which are about the inside, and runs on the few threads that files
 * and compression share, so that slow names would hold up everything else.
 */
export function nameServerResolve(servers?: readonly string[]): Resolve {
  return async (host) => {
    // One per look-up: changes of the machine's configuration are noticed, and no look-up waits for others.
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
  // ENODATA is a name without addresses of this family: both together say that it has none at all.
  const unknown = codes.every((code) => code === 'ENOTFOUND' || code === 'ENODATA')
  return unknown
    ? netFailure('unknown-host', 'the name has no address')
    : netFailure('name-service', `the name servers did not answer (${codes.join(', ')})`)
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown error'
}
