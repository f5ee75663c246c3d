import type { Database, Queryable } from '../../platform/db/connection.js'
import { PlazaError } from '../../platform/errors.js'
import { isUuid, normalizeAppName, normalizeDeveloperUuid, normalizeMiniAppDomain } from './app-details.js'

/** An app: whoever uses the API under one name. */
export interface App {
  readonly id: string
  readonly name: string
  /** The app as a user of the network. */
  readonly fid: number | null
  /** The host that its mini app lives on. */
  readonly miniAppDomain: string | null
  /** Who develops it; a developer may have several apps. */
  readonly developerUuid: string
  readonly createdAt: Date
  /** Keys that are not revoked. */
  readonly keys: number
}

/** What is told of an app. What is not given stays as it is; null takes a fid or a domain away. */
export interface AppDetails {
  readonly name?: string
  readonly fid?: number | null
  readonly miniAppDomain?: string | null
  readonly developerUuid?: string
}

/** Some of the apps, by name. */
export interface AppPage {
  readonly limit: number
  /** Goes on behind this name. */
  readonly after: string | null
}

/** PostgreSQL's code of a value that another row has already. */
const UNIQUE_VIOLATION = '23505'

/** The id of the app with this name, which is made if there is none. */
export async function ensureApp(db: Queryable, name: string): Promise<string> {
  const [app] = await db<{ id: string }[]>`
    insert into apps.apps (name) values (${normalizeAppName(name)})
    on conflict (name) do update set name = excluded.name
    returning id`
  return app!.id
}

/**
 * Makes an app.
 *
 * @throws PlazaError `bad_request.invalid_param` for a detail that cannot be; `conflict` when another app has the
 * name or the domain. Both name the detail.
 */
export async function createApp(db: Database, details: AppDetails & { readonly name: string }): Promise<App> {
  const { name, fid = null, miniAppDomain = null, developerUuid = null } = await validateDetails(db, details)
  const [app] = await db<App[]>`
    insert into apps.apps (name, fid, mini_app_domain, developer_uuid)
    values (
      ${name!}, ${fid}::bigint, ${miniAppDomain}, coalesce(${developerUuid}::uuid, gen_random_uuid())
    )
    returning ${columnsOf(db)}`.catch(refuseDuplicate)
  return app!
}

/**
 * Changes what is given of an app; null when there is no such app.
 *
 * @param id A UUID.
 * @throws PlazaError as `createApp` does.
 */
export async function editApp(db: Database, id: string, details: AppDetails): Promise<App | null> {
  const { name = null, fid, miniAppDomain, developerUuid = null } = await validateDetails(db, details)
  const [app] = await db<App[]>`
    update apps.apps
    set
      name = coalesce(${name}, name),
      fid = case when ${fid === undefined} then fid else ${fid ?? null}::bigint end,
      mini_app_domain = case when ${miniAppDomain === undefined} then mini_app_domain else ${miniAppDomain ?? null} end,
      developer_uuid = coalesce(${developerUuid}::uuid, developer_uuid)
    where id = ${id}
    returning ${columnsOf(db)}`.catch(refuseDuplicate)
  return app ?? null
}

/** The app with this id, which is a UUID; null when there is none. */
export async function findApp(db: Database, id: string): Promise<App | null> {
  const [app] = await db<App[]>`select ${columnsOf(db)} from apps.apps where id = ${id}`
  return app ?? null
}

/** The id of the app with this name or this id; null when there is none. */
export async function findAppId(db: Queryable, nameOrId: string): Promise<string | null> {
  const [app] = isUuid(nameOrId)
    ? await db<{ id: string }[]>`select id from apps.apps where id = ${nameOrId}`
    : await db<{ id: string }[]>`select id from apps.apps where name = ${normalizeAppName(nameOrId)}`
  return app?.id ?? null
}

/** Apps by name: a page of them, or all. */
export async function listApps(db: Database, { limit, after }: Partial<AppPage> = {}): Promise<App[]> {
  return db<App[]>`
    select ${columnsOf(db)}
    from apps.apps
    where ${after ?? null}::text is null or name > ${after ?? null}
    order by name
    limit ${limit ?? null}::bigint`
}

function columnsOf(db: Queryable) {
  return db`
    id, name, fid, mini_app_domain as "miniAppDomain", developer_uuid as "developerUuid", created_at as "createdAt",
    (select count(*)::integer from apps.api_keys where app_id = apps.id and revoked_at is null) as keys`
}

async function validateDetails(db: Database, details: AppDetails): Promise<AppDetails> {
  const { name, fid, miniAppDomain, developerUuid } = details
  const validated = {
    ...details,
    ...(name === undefined ? {} : { name: normalizeAppName(name) }),
    ...(miniAppDomain == null ? {} : { miniAppDomain: normalizeMiniAppDomain(miniAppDomain) }),
    ...(developerUuid === undefined ? {} : { developerUuid: normalizeDeveloperUuid(developerUuid) }),
  }
  if (fid != null && !(await isRegistered(db, fid))) {
    throw new PlazaError('bad_request.invalid_param', `fid ${fid} is not registered`, { property: 'fid' })
  }
  return validated
}

/** Fids are never given back: one that is registered stays so. */
async function isRegistered(db: Database, fid: number): Promise<boolean> {
  return (await db`select from hub.fids where fid = ${fid}::bigint`).length > 0
}

function refuseDuplicate(error: { readonly code?: string; readonly constraint_name?: string }): never {
  if (error.code !== UNIQUE_VIOLATION) throw error
  const [property, message] =
    error.constraint_name === 'apps_mini_app_domain_key'
      ? ['mini_app_domain', 'another app has this mini app domain']
      : ['name', 'another app has this name']
  throw new PlazaError('conflict', message!, { property: property! })
}
