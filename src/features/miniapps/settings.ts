import type { TargetPolicy } from '../../platform/outbound/target.js'

/** Operator settings of mini apps. */
export interface MiniAppSettings {
  /** Which URLs notifications and events may be sent to. */
  readonly targetPolicy: TargetPolicy
}
