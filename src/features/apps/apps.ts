import type { Database, Queryable } from '../../platform/db/connection.js'
import { PlazaError } from '../../platform/errors.js'
import { isUuid, normalizeAppName, normalizeDeveloperUuid, normalizeMiniAppDomain } from './app-details.js'

/** An app: one user of the API. */
export interface App {
  readonly id: string
  readonly name: string
  /** The app's account on the network. */
  readonly fid: number | null
  /** Host of its mini app. */
  readonly miniAppDomain: string | null
  /** The developer, who may have several apps. */
  readonly developerUuid: string
  readonly createdAt: Date
  /** Number of active keys. */
  readonly keys: number
}

/** Details of an app. Omitted members stay unchanged; null clears the fid or domain. */
export interface AppDetails {
  readonly name?: string
  readonly fid?: number | null
  readonly miniAppDomain?: string | null
  readonly developerUuid?: string
}

/** A page of apps by name. */
export interface AppPage {
  readonly limit: number
  /** Continue after this name. */
  readonly after: string | null
}

/** SQLSTATE unique_violation. */
const UNIQUE_VIOLATION = '23505'

/** Returns the id of the app with this name, creating it when missing. */
export async function ensureApp(db: Queryable, name: string): Promise<string> {
  const [app] = await db<{ id: string }[]>`
    insert into apps.apps (name) values (${normalizeAppName(name)})
    on conflict (name) do update set name = excluded.name
    returning id`
  return app!.id
}

/**
 * Creates an app.
 *
 * @throws PlazaError `bad_request.invalid_param` for an invalid detail; `conflict` when another app has the
 * name or domain. Both name the detail.
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
 * Changes the given details of an app; null for an unknown app.
 *
 * @param id A UUID.
 * @throws PlazaError As `createApp`.
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

/** Finds an app by id (a UUID); null when there is none. */
export async function findApp(db: Database, id: string): Promise<App | null> {
  const [app] = await db<App[]>`select ${columnsOf(db)} from apps.apps where id = ${id}`
  return app ?? null
}

/** Finds an app's id by name or id; null when there is none. */
export async function findAppId(db: Queryable, nameOrId: string): Promise<string | null> {
  const [app] = isUuid(nameOrId)
    ? await db<{ id: string }[]>`select id from apps.apps where id = ${nameOrId}`
    : await db<{ id: string }[]>`select id from apps.apps where name = ${normalizeAppName(nameOrId)}`
  return app?.id ?? null
}

/** Lists apps by name: a page, or all. */
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

/** Whether a fid is registered; registrations never end. */
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
