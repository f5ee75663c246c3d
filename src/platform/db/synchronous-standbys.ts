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
 * Warns if a fail-over of this primary may lose what was acknowledged (docs/clusters.md).
 *
 * @param namesOthers Whether the configuration names other servers. Otherwise the primary is asked for attached standbys: behind a
 * proxy the configuration names one server, and a single server does not fail over.
 */
export async function warnIfAsynchronous(db: Database, log: Log, namesOthers: boolean): Promise<void> {
  const [settings] = await db<[ReplicationSettings]>`
    select
      current_setting('synchronous_standby_names') as "standbyNames",
      current_setting('synchronous_commit') as commit
  `
  if (waitsForStandby(settings)) return
  if (!namesOthers && !(await hasStandby(db))) return
  log.warn(
    settings,
    'the primary waits for no standby: a fail-over may lose acknowledged writes (see docs/clusters.md)',
  )
}

/** Whether a standby is attached; false where that may not be read. Other users see that it is, and not its state. */
async function hasStandby(db: Database): Promise<boolean> {
  const standbys = db`select from pg_stat_replication where state is distinct from 'backup' limit 1`
  return await standbys.then(
    ({ length }) => length > 0,
    () => false,
  )
}
