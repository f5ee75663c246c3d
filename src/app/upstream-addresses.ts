import type { Config } from './config/config.js'

/** Returns `host:port` of each configured upstream, in the order of use. */
export function upstreamAddresses({ upstreamHub }: Pick<Config, 'upstreamHub'>): readonly string[] {
  if (upstreamHub === undefined) return []
  return [...new Set(upstreamHub.split(',').map((each) => each.trim()))]
}
