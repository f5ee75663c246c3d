import { isIP } from 'node:net'
import { domainToASCII } from 'node:url'
import { invalidField } from '../../api/invalid-field.js'
import type { Database, Queryable } from '../../platform/db/connection.js'
import { UNIQUE_VIOLATION } from '../../platform/db/connection-errors.js'
import { PlazaError } from '../../platform/errors.js'
import { isUuid } from '../../platform/text/uuid.js'
import { normalizeAuthorizedOrigins, type SignInPermission } from './authorized-origins.js'

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
  /** Origins (`https://app.example.com`) and deep link schemes (`myapp://`) that may receive a sign-in. */
  readonly authorizedOrigins: readonly string[]
  /** Permission that a browser sign-in requests from users. */
  readonly signInPermission: SignInPermission
  /** Whether the server holds the custody key of the app's fid. */
  readonly hasCustodyKey: boolean
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
  readonly authorizedOrigins?: readonly string[]
  readonly signInPermission?: SignInPermission
}

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
  const validated = await validateDetails(db, details)
  const { name, fid = null, miniAppDomain = null, developerUuid = null } = validated
  const { authorizedOrigins = [], signInPermission = 'read_and_write' } = validated
  const [app] = await db<App[]>`
    insert into apps.apps (name, fid, mini_app_domain, developer_uuid, authorized_origins, sign_in_permission)
    values (
      ${name!}, ${fid}::bigint, ${miniAppDomain}, coalesce(${developerUuid}::uuid, gen_random_uuid()),
      ${db.types.texts(authorizedOrigins)}::text[], ${signInPermission}
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
  const validated = await validateDetails(db, details)
  const { name = null, fid, miniAppDomain, developerUuid = null } = validated
  const { authorizedOrigins, signInPermission = null } = validated
  const [app] = await db<App[]>`
    update apps.apps
    set
      name = coalesce(${name}, name),
      fid = case when ${fid === undefined} then fid else ${fid ?? null}::bigint end,
      mini_app_domain = case when ${miniAppDomain === undefined} then mini_app_domain else ${miniAppDomain ?? null} end,
      developer_uuid = coalesce(${developerUuid}::uuid, developer_uuid),
      authorized_origins = coalesce(
        ${authorizedOrigins === undefined ? null : db.types.texts(authorizedOrigins)}::text[], authorized_origins
      ),
      sign_in_permission = coalesce(${signInPermission}, sign_in_permission)
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
  const condition = isUuid(nameOrId) ? db`id = ${nameOrId}` : db`name = ${normalizeAppName(nameOrId)}`
  const [app] = await db<{ id: string }[]>`select id from apps.apps where ${condition}`
  return app?.id ?? null
}

/** Lists apps by name: all, or a page of those after a name. */
export async function listApps(
  db: Queryable,
  { limit = null, after = null }: { readonly limit?: number | null; readonly after?: string | null } = {},
): Promise<App[]> {
  return db<App[]>`
    select ${columnsOf(db)}
    from apps.apps
    where ${after}::text is null or name > ${after}
    order by name
    limit ${limit}::bigint`
}

function columnsOf(db: Queryable) {
  return db`
    id, name, fid, mini_app_domain as "miniAppDomain", developer_uuid as "developerUuid", created_at as "createdAt",
    authorized_origins as "authorizedOrigins", sign_in_permission as "signInPermission",
    sealed_custody_key is not null as "hasCustodyKey",
    (select count(*)::integer from apps.api_keys where app_id = apps.id and revoked_at is null) as keys`
}

async function validateDetails(db: Database, details: AppDetails): Promise<AppDetails> {
  const { name, fid, miniAppDomain, developerUuid, authorizedOrigins } = details
  const validated = {
    ...details,
    ...(name === undefined ? {} : { name: normalizeAppName(name) }),
    ...(miniAppDomain == null ? {} : { miniAppDomain: normalizeMiniAppDomain(miniAppDomain) }),
    ...(developerUuid === undefined ? {} : { developerUuid: normalizeDeveloperUuid(developerUuid) }),
    ...(authorizedOrigins === undefined
      ? {}
      : { authorizedOrigins: normalizeAuthorizedOrigins(authorizedOrigins) }),
  }
  // Registrations never end.
  const isRegistered = fid == null || (await db`select from hub.fids where fid = ${fid}::bigint`).length > 0
  if (!isRegistered) throw invalidField('fid', `${fid} is not registered`)
  return validated
}

function refuseDuplicate(error: { readonly code?: string; readonly constraint_name?: string }): never {
  if (error.code !== UNIQUE_VIOLATION) throw error
  const [property, message] =
    error.constraint_name === 'apps_mini_app_domain_key'
      ? ['mini_app_domain', 'another app has this mini app domain']
      : ['name', 'another app has this name']
  throw new PlazaError('conflict', message!, { property: property! })
}

/** In UTF-16 code units. */
export const MAX_NAME_LENGTH = 100
/** Longest host name without a trailing dot (RFC 1035 §2.3.4). */
export const MAX_DOMAIN_LENGTH = 253

/** Control characters, separators and lone surrogates, which would break lists. */
const unprintableCharacters = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u
/** Characters that end the host part of a URL. */
const invalidHostCharacters = /[\s/\\:?#@[\]%]/
/** A host name: labels of letters, digits and inner hyphens (RFC 1123 §2.1). */
const hostName = /^(?!-)[a-z\d-]{1,63}(?<!-)(\.(?!-)[a-z\d-]{1,63}(?<!-))*$/

/** Normalizes the name of an app: trimmed, NFC. Throws `bad_request.invalid_param` for an invalid name. */
export function normalizeAppName(text: string): string {
  const name = text.normalize('NFC').trim()
  if (name === '' || name.length > MAX_NAME_LENGTH || unprintableCharacters.test(name)) {
    throw invalidField('name', `must be a text of 1 to ${MAX_NAME_LENGTH} characters without line breaks`)
  }
  // Commands accept a name or an id.
  if (isUuid(name)) throw invalidField('name', 'must not look like an id')
  return name
}

/**
 * Normalizes the host of a mini app to lowercase ASCII: `Müller.example` becomes `xn--mller-kva.example`.
 *
 * @throws PlazaError `bad_request.invalid_param` for an invalid host.
 */
export function normalizeMiniAppDomain(text: string): string {
  const domain = invalidHostCharacters.test(text) ? '' : domainToASCII(text)
  if (domain.length > MAX_DOMAIN_LENGTH || !hostName.test(domain) || isIP(domain) !== 0) {
    const problem = 'must be a host name such as app.example.com, without https:// and without a path'
    throw invalidField('mini_app_domain', problem)
  }
  return domain
}

/** Normalizes a developer id. Throws `bad_request.invalid_param` when it is not a UUID. */
export function normalizeDeveloperUuid(text: string): string {
  if (!isUuid(text)) throw invalidField('developer_uuid', 'must be a UUID')
  return text.toLowerCase()
}
