import {
  createSavedTargets,
  type SavedTargets,
  uncheckedTargets,
} from '../platform/outbound/saved-targets.js'
import type { TargetPolicy } from '../platform/outbound/target.js'
import type { Config } from './config/config.js'

/** Returns the policy for requests to other apps. */
export function otherAppsTargetPolicy({ allowPrivateTargets }: Config): TargetPolicy {
  const allowLoopback = allowPrivateTargets === 'loopback'
  return { allowHttp: allowLoopback, allowLoopback }
}

/**
 * Returns the policy for pages that casts embed: web servers on their own ports. The crawler visits one page of a host at a
 * time, whatever the port, and a port that does not answer would keep the host from visits to its pages.
 */
export function crawlerTargetPolicy({ allowPrivateTargets }: Config): TargetPolicy {
  return allowPrivateTargets === 'loopback'
    ? { allowHttp: true, allowLoopback: true }
    : { allowHttp: true, allowLoopback: false, ports: [80, 443] }
}

/** The check of URLs that requests give and the server keeps. */
export function savedTargetsOf(config: Config, clock: () => number): SavedTargets {
  return config.checkTargetsOnSave
    ? createSavedTargets({ policy: otherAppsTargetPolicy(config), clock })
    : uncheckedTargets
}
