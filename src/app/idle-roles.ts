import type { Role } from '../platform/process/roles.js'
import type { Config } from './config/config.js'
import { chainSettings } from './modules/chains.js'

/** Roles without work by the configuration: `sync` without an upstream, chains and importers. No process has to have them. */
export function findIdleRoles(config: Config): ReadonlySet<Role> {
  const { upstreamHub, fnameRegistryUrl, clientApiUrl } = config
  const hasSource = [upstreamHub, fnameRegistryUrl, clientApiUrl].some((source) => source !== undefined)
  return new Set(hasSource || chainSettings(config).chains.size > 0 ? [] : ['sync'])
}
