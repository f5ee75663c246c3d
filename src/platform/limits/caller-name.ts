import { isIPv6 } from 'node:net'
import { clientAddress, groupsOf } from '../text/ip-address.js'

/** Names who pays for work: an API key, a session of the console, or an address for those without one. */
export type CallerName = `key ${string}` | `session ${number}` | `address ${string}`

/** Names the API key of an app. */
export function callerOfKey(keyId: number): CallerName {
  return `key ${keyId}`
}

/** Names the caller at an address. Of IPv6 only the network of 64 bits counts: one customer of a provider has all of it. */
export function callerAt(address: string): CallerName {
  const plain = clientAddress(address)
  return isIPv6(plain) ? `address ${groupsOf(plain).slice(0, 4).join(':')}` : `address ${plain}`
}
