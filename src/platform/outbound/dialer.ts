import type { LookupAddress } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { buildConnector } from 'undici'
import { NetFailureError, netFailure } from './net-failure.js'
import type { Resolve } from './resolver.js'
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
 * allowed, and the socket connects to one of them. There is no second look-up that could return another
 * address (DNS rebinding), and a kept connection stays with the checked address. TLS and the Host header keep
 * the name.
 */
export function createDialer(options: DialerOptions): buildConnector.connector {
  const { policy, connectTimeoutMs, ca, closing } = options
  const dial = buildConnector({
    timeout: connectTimeoutMs,
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
