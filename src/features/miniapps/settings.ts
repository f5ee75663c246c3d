import type { TargetPolicy } from '../../platform/outbound/target.js'

/** What the operator decides of mini apps. */
export interface MiniAppSettings {
  /** Where clients take notifications, and mini apps events. */
  readonly targetPolicy: TargetPolicy
}
