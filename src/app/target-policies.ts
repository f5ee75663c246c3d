import type { TargetPolicy } from '../platform/outbound/target.js'
import type { Config } from './config/config.js'

/** Which addresses of other apps are reached. */
export function otherAppsTargetPolicy({ allowPrivateTargets }: Config): TargetPolicy {
  const allowLoopback = allowPrivateTargets === 'loopback'
  return { allowHttp: allowLoopback, allowLoopback }
}
