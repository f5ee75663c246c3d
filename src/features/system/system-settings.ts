import type { ConfigurationEntry } from './schema/system.js'

/** Settings of the process for the admin API. */
export interface SystemSettings {
  /** Every environment variable as it was read, without the values of secrets. */
  readonly configuration: readonly ConfigurationEntry[]
  /** Whether there is an upstream to compare with (`UPSTREAM_HUB`). */
  readonly hasUpstream: boolean
}
