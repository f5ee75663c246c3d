/** The address of IPv4 that an IPv6 socket shows as `::ffff:192.0.2.1`; other addresses as they are. */
export function mappedAddress(address: string): string {
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address
}

/**
 * The address of a client without port and brackets, which some gateways write into `X-Forwarded-For`: `192.0.2.1:5678`,
 * `[2001:db8::1]:80`. Each connection has another port. What is no address stays as it is.
 */
export function clientAddress(address: string): string {
  const [, version6, version4] = /^(?:\[([^\]]+)\]|(\d+\.\d+\.\d+\.\d+))(?::\d+)?$/.exec(address) ?? []
  return mappedAddress(version6 ?? version4 ?? address)
}

/** The eight groups of an IPv6 address, in hex without leading zeros. */
export function groupsOf(address: string): string[] {
  const [withoutZone = ''] = address.split('%')
  const [head = '', tail] = withoutZone.split('::')
  const split = (part: string | undefined) => (part ? part.split(':') : [])
  const [before, after] = [split(head), split(tail)]
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - before.length - after.length)
  return [...before, ...Array.from({ length: zeros }, () => '0'), ...after].map((group) =>
    group.toLowerCase().replace(/^0+(?=.)/, ''),
  )
}
