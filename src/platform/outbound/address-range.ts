import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/**
 * The purpose of an address. Plaza connects only to `public` ones, and to `loopback` if a policy allows it.
 * The lists follow the IANA registries of special-purpose addresses (RFC 6890 and its amendments).
 */
export type AddressRange = 'public' | 'loopback' | 'special'

interface SpecialRange {
  readonly cidr: string
  /** The document that reserves these addresses. */
  readonly reason: string
}

const specialIPv4: readonly SpecialRange[] = [
  { cidr: '0.0.0.0/8', reason: 'this network, unspecified: RFC 791; Linux dials 0.0.0.0 as loopback' },
  { cidr: '10.0.0.0/8', reason: 'private: RFC 1918' },
  { cidr: '100.64.0.0/10', reason: 'carrier-grade NAT: RFC 6598; one cloud keeps its metadata here' },
  {
    cidr: '168.63.129.16/32',
    reason: 'metadata and host agent of one cloud, on an otherwise public address',
  },
  { cidr: '169.254.0.0/16', reason: 'link-local: RFC 3927; the metadata address of most clouds' },
  { cidr: '172.16.0.0/12', reason: 'private: RFC 1918' },
  { cidr: '192.0.0.0/24', reason: 'protocol assignments: RFC 6890; one cloud keeps its metadata here' },
  { cidr: '192.0.2.0/24', reason: 'documentation: RFC 5737' },
  { cidr: '192.31.196.0/24', reason: 'AS112 sinks: RFC 7535' },
  { cidr: '192.52.193.0/24', reason: 'multicast tunnels: RFC 7450' },
  { cidr: '192.88.99.0/24', reason: '6to4 relays, deprecated: RFC 7526' },
  { cidr: '192.168.0.0/16', reason: 'private: RFC 1918' },
  { cidr: '192.175.48.0/24', reason: 'AS112 sinks: RFC 7534' },
  { cidr: '198.18.0.0/15', reason: 'benchmarking: RFC 2544' },
  { cidr: '198.51.100.0/24', reason: 'documentation: RFC 5737' },
  { cidr: '203.0.113.0/24', reason: 'documentation: RFC 5737' },
  { cidr: '224.0.0.0/4', reason: 'multicast: RFC 1112' },
  { cidr: '240.0.0.0/4', reason: 'reserved, and broadcast: RFC 1112, RFC 919' },
]

/**
 * All addresses that IANA has allocated for global use (RFC 4291 §2.4). Everything else is refused without a
 * list: unspecified, loopback, IPv4-mapped (::ffff:0:0/96), IPv4-compatible and translated IPv4, NAT64
 * (64:ff9b::/96 of RFC 6052, 64:ff9b:1::/48 of RFC 8215), discard (100::/64), segment routing (5f00::/16),
 * unique local (fc00::/7), link-local (fe80::/10), site-local (fec0::/10), multicast (ff00::/8).
 */
const globalUnicastIPv6 = '2000::/3'

const specialIPv6: readonly SpecialRange[] = [
  { cidr: '2001::/23', reason: 'protocol assignments, Teredo, benchmarking, ORCHID: RFC 2928, 4380, 5180' },
  { cidr: '2001:db8::/32', reason: 'documentation: RFC 3849' },
  { cidr: '2002::/16', reason: '6to4, which wraps any IPv4 address: RFC 3056' },
  { cidr: '2620:4f:8000::/48', reason: 'AS112 sinks: RFC 7534' },
  { cidr: '3fff::/20', reason: 'documentation: RFC 9637' },
]

const loopbackIPv4 = ipaddr.IPv4.parseCIDR('127.0.0.0/8')
const loopbackIPv6 = ipaddr.IPv6.parseCIDR('::1/128')
const globalIPv6 = ipaddr.IPv6.parseCIDR(globalUnicastIPv6)
const refusedIPv4 = specialIPv4.map(({ cidr }) => ipaddr.IPv4.parseCIDR(cidr))
const refusedIPv6 = specialIPv6.map(({ cidr }) => ipaddr.IPv6.parseCIDR(cidr))

/** ISATAP wraps an IPv4 address in the lower half, whatever the upper one is (RFC 5214 §6.1). */
function isIsatap(address: ipaddr.IPv6): boolean {
  const [upper, lower] = address.parts.slice(4)
  return (upper === 0 || upper === 0x200) && lower === 0x5efe
}

/** Returns the purpose of an IPv4 or IPv6 address in canonical notation. Any other text is `special`. */
export function rangeOf(address: string): AddressRange {
  // The library also accepts short and octal notations, which sockets interpret differently.
  if (isIP(address) === 0) return 'special'
  const parsed = ipaddr.parse(address)
  if (parsed instanceof ipaddr.IPv4) {
    if (parsed.match(loopbackIPv4)) return 'loopback'
    return refusedIPv4.some((range) => parsed.match(range)) ? 'special' : 'public'
  }
  if (parsed.match(loopbackIPv6)) return 'loopback'
  if (!parsed.match(globalIPv6) || isIsatap(parsed)) return 'special'
  return refusedIPv6.some((range) => parsed.match(range)) ? 'special' : 'public'
}
