/** Where and how upstream nodes are asked. */
export interface UpstreamSettings {
  /** `host:port` of each, in the order in which they are tried. */
  readonly addresses: readonly string[]
  readonly tls: boolean
  /** Sent with every call: keys of hosted nodes. Never logged. */
  readonly headers: ReadonlyMap<string, string>
  /** Whether it is a node of one's own, whose signatures are not checked again. */
  readonly trusted: boolean
}

/** A list of addresses as the configuration has it. */
export function readAddresses(text: string): string[] {
  return [...new Set(text.split(',').map((each) => each.trim()))]
}

/** Headers as the configuration has them: `name=value`, separated by commas. */
export function readHeaders(text: string): Map<string, string> {
  const pairs = text.split(',').map((pair) => pair.trim().split(/=(.*)/s))
  return new Map(
    pairs.filter(([name]) => name !== '').map(([name = '', value = '']) => [name.toLowerCase(), value]),
  )
}
