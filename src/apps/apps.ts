import type { Queryable } from '../db/connection.js'

/** An app: whoever uses the API under one name. */
export interface App {
  readonly id: string
  readonly name: string
  readonly createdAt: Date
  /** Keys that are not revoked. */
  readonly keys: number
}

/** The id of the app with this name, which is made if there is none. */
export async function ensureApp(db: Queryable, name: string): Promise<string> {
  const [app] = await db<{ id: string }[]>`
    insert into apps.apps (name) values (${name})
    on conflict (name) do update set name = excluded.name
    returning id`
  return app!.id
}

/** Makes an app; null when the name is taken. */
export async function createApp(db: Queryable, name: string): Promise<string | null> {
  const [app] = await db<{ id: string }[]>`
    insert into apps.apps (name) values (${name})
    on conflict (name) do nothing
    returning id`
  return app?.id ?? null
}

/** All apps by name. */
export async function listApps(db: Queryable): Promise<App[]> {
  return db<App[]>`
    select id, name, created_at as "createdAt",
      (select count(*)::integer from apps.api_keys where app_id = apps.id and revoked_at is null) as keys
    from apps.apps
    order by name`
}
