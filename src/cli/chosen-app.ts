import { findApp, findAppId, listApps } from '../features/apps/apps.js'
import type { Database, Queryable } from '../platform/db/connection.js'
import { UsageError } from './context.js'

const MAX_NAMED = 5
const CREATE = 'create one with `plaza key create --app NAME`'

/** Finds the app of a command by its name or id; without one, the only app of the database. */
export async function chosenApp(
  db: Database,
  nameOrId: string | undefined,
): Promise<{ readonly id: string; readonly name: string }> {
  if (nameOrId !== undefined) {
    const id = await findAppId(db, nameOrId)
    const app = id === null ? null : await findApp(db, id)
    if (app === null) throw await unknownApp(db, nameOrId)
    return app
  }
  const apps = await listApps(db)
  if (apps.length === 1) return apps[0]!
  if (apps.length === 0) throw new UsageError(`there is no app: ${CREATE}`)
  throw new UsageError(`say which app with --app: ${namesOf(apps)}`)
}

/** The error for an app that does not exist, which names those that do. */
export async function unknownApp(db: Queryable, nameOrId: string): Promise<UsageError> {
  const apps = await listApps(db)
  const help = apps.length === 0 ? CREATE : `the apps are ${namesOf(apps)}`
  return new UsageError(`there is no app ${nameOrId}: ${help}`)
}

function namesOf(apps: readonly { readonly name: string }[]): string {
  const names = apps.slice(0, MAX_NAMED).map(({ name }) => name)
  const others = apps.length > MAX_NAMED ? ` and ${apps.length - MAX_NAMED} more` : ''
  return `${names.join(', ')}${others}`
}
