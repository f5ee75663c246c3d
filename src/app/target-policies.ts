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

/** The check of URLs that requests give and the server keeps. */
export function savedTargetsOf(config: Config, clock: () => number): SavedTargets {
  return config.checkTargetsOnSave
    ? createSavedTargets({ policy: otherAppsTargetPolicy(config), clock })
    : uncheckedTargets
}
