import type { Log } from '../log/log.js'
import type { Database } from './connection.js'

/** The settings of a primary that say whether a commit waits for a standby. */
export interface ReplicationSettings {
  /** `synchronous_standby_names`. */
  readonly standbyNames: string
  /** `synchronous_commit` of our sessions. */
  readonly commit: string
}

/** Levels of `synchronous_commit` at which a commit waits for no standby. */
const WITHOUT_STANDBY = new Set(['off', 'local'])

/** Whether a commit that was acknowledged is on a standby, so that a fail-over to it loses nothing. */
export function waitsForStandby({ standbyNames, commit }: ReplicationSettings): boolean {
  return standbyNames.trim() !== '' && !WITHOUT_STANDBY.has(commit)
}

/**
 * Warns if a fail-over of this primary may lose what was acknowledged (docs/clusters.md). For servers with replicas:
 * without one nothing fails over.
 */
export async function warnIfAsynchronous(db: Database, log: Log): Promise<void> {
  const [settings] = await db<[ReplicationSettings]>`
    select
      current_setting('synchronous_standby_names') as "standbyNames",
      current_setting('synchronous_commit') as commit
  `
  if (waitsForStandby(settings)) return
  log.warn(
    settings,
    'the primary waits for no standby: a fail-over may lose acknowledged writes (see docs/clusters.md)',
  )
}
