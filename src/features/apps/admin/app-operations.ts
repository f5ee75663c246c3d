import { Type } from '@sinclair/typebox'
import { cursorKind, keyPart } from '../../../api/cursor.js'
import { fidParameter, pagingParameters, textParameter } from '../../../api/parameters.js'
import { MAX_INT32, nullable, textEnum } from '../../../graph/view/schema/primitives.js'
import type { Database } from '../../../platform/db/connection.js'
import { PlazaError } from '../../../platform/errors.js'
import { UUID_PATTERN } from '../../../platform/text/uuid.js'
import { defineAdminOperation } from '../../admin-operation.js'
import type { OperationContext } from '../../operation.js'
import { requireSavableTarget } from '../../savable-target.js'
import { createApiKey, listKeysOfApp, MAX_RATE_LIMIT, revokeApiKey, setApiKeyRateLimit } from '../api-keys.js'
import {
  type App,
  type AppDetails,
  createApp,
  editApp,
  findApp,
  listApps,
  MAX_DOMAIN_LENGTH,
  MAX_NAME_LENGTH,
} from '../apps.js'
import {
  MAX_AUTHORIZED_ORIGINS,
  MAX_ORIGIN_LENGTH,
  type SignInPermission,
  signInPermissions,
} from '../authorized-origins.js'
import {
  ApiKeyResponse,
  ApiKeysResponse,
  AppResponse,
  AppsResponse,
  NewApiKeyResponse,
} from '../schema/app.js'
import { apiKeyJson, appJson } from './app-json.js'

/** Path parameters of an app. */
export const appParams = Type.Object({
  id: Type.String({
    pattern: UUID_PATTERN,
    patternText: 'the id of an app, a UUID',
    description: 'Id of the app.',
    examples: ['0f6c5ea2-6f1f-4f0b-9d3c-2b8e7a1d4c55'],
  }),
})

/** Members of an app; `name` and `developer_uuid` cannot be cleared. */
const appMembers = {
  name: textParameter({ maxLength: MAX_NAME_LENGTH, description: 'Unique name.', examples: ['garden'] }),
  fid: nullable(fidParameter({ description: 'Registered fid of the app.' })),
  mini_app_domain: nullable(
    textParameter({
      maxLength: MAX_DOMAIN_LENGTH,
      description: 'Host of its mini app: `app.example.com`. Unique among apps.',
      examples: ['garden.example.com'],
    }),
  ),
  developer_uuid: Type.String({
    pattern: UUID_PATTERN,
    patternText: 'a UUID',
    description: 'Developer of the app. Several apps may share it.',
    examples: ['7d1c9a40-3b52-4e8f-8a6d-5c0e2f7b9a13'],
  }),
  authorized_origins: Type.Array(
    textParameter({ maxLength: MAX_ORIGIN_LENGTH, description: 'An origin, or the scheme of deep links.' }),
    {
      maxItems: MAX_AUTHORIZED_ORIGINS,
      description:
        'Origins that may receive the result of a browser sign-in: `https://app.example.com`, ' +
        '`http://localhost:3000`, or the scheme of deep links, `myapp://`. Replaces the whole list.',
      examples: [['https://garden.example.com']],
    },
  ),
  sign_in_permission: textEnum(signInPermissions, {
    description: 'What a browser sign-in requests from users.',
    examples: ['read_and_write'],
  }),
}

const keyParams = Type.Object({
  id: Type.Integer({
    format: 'int32',
    minimum: 1,
    maximum: MAX_INT32,
    description: 'Id of the key.',
    examples: [7],
  }),
})

const rateLimitMember = nullable(
  Type.Integer({
    minimum: 0,
    maximum: MAX_RATE_LIMIT,
    description: 'Requests per minute. 0: no limit. null: the default limit of the server.',
    examples: [600],
  }),
)

const pageQuery = Type.Object({
  ...pagingParameters(100, 25),
})

/** Description of the 404 response for an app. */
export const unknownApp = 'There is no app with this id.'
const unknownKey = 'There is no key with this id.'

/** Builds the 404 error. */
export function unknownError(entity: 'app' | 'key'): PlazaError {
  return new PlazaError('not_found', `there is no ${entity} with this id`, { property: 'id' })
}

/** Finds an app. Throws `not_found`. */
export async function requireApp(db: Database, id: string): Promise<App> {
  const app = await findApp(db, id)
  if (app === null) throw unknownError('app')
  return app
}

/** Converts body members to `AppDetails`; omitted members stay omitted. */
function appDetails(input: {
  readonly name?: string
  readonly fid?: number | null
  readonly mini_app_domain?: string | null
  readonly developer_uuid?: string
  readonly authorized_origins?: readonly string[]
  readonly sign_in_permission?: SignInPermission
}): AppDetails {
  const { mini_app_domain, developer_uuid, authorized_origins, sign_in_permission, ...same } = input
  return {
    ...same,
    ...(mini_app_domain === undefined ? {} : { miniAppDomain: mini_app_domain }),
    ...(developer_uuid === undefined ? {} : { developerUuid: developer_uuid }),
    ...(authorized_origins === undefined ? {} : { authorizedOrigins: authorized_origins }),
    ...(sign_in_permission === undefined ? {} : { signInPermission: sign_in_permission }),
  }
}

/** The server fetches the manifest of a domain, and sends users to origins. Texts that are neither are refused later. */
async function requireSavableSites(
  context: Pick<OperationContext, 'savedTargets'>,
  { mini_app_domain: domain, authorized_origins: origins = [] }: Parameters<typeof appDetails>[0],
): Promise<void> {
  await requireSavableTarget(context, domain == null ? null : `https://${domain}/`, 'mini_app_domain')
  for (const origin of origins) await requireSavableTarget(context, origin, 'authorized_origins')
}

/** Most apps in one reply: the console reads all of them. */
const MAX_LISTED_APPS = 1_000
const byName = cursorKind('apps by name', keyPart.text)

export const listAppsOperation = defineAdminOperation({
  method: 'GET',
  path: 'apps',
  summary: 'List apps',
  description: 'All apps, ordered by name.',
  input: Type.Object({
    ...pagingParameters(MAX_LISTED_APPS, 25),
  }),
  reply: AppsResponse,

  async handle({ writerDb, publicUrl }, { limit, cursor }) {
    const [after = null] = byName.decode(cursor) ?? []
    const found = await listApps(writerDb, { limit: limit + 1, after })
    const { page: apps, next } = byName.page(found, limit, (last) => [last.name])
    return { apps: apps.map((app) => appJson(app, publicUrl())), next }
  },
})

export const createAppOperation = defineAdminOperation({
  method: 'POST',
  path: 'apps',
  summary: 'Create an app',
  description: 'The new app has no key. Without `developer_uuid`, it gets a new one.',
  input: Type.Object({
    name: appMembers.name,
    fid: Type.Optional(appMembers.fid),
    mini_app_domain: Type.Optional(appMembers.mini_app_domain),
    developer_uuid: Type.Optional(appMembers.developer_uuid),
    authorized_origins: Type.Optional(appMembers.authorized_origins),
    sign_in_permission: Type.Optional(appMembers.sign_in_permission),
  }),
  reply: AppResponse,
  status: 201,
  conflict: 'Another app has the name or the mini app domain: `property` tells which.',

  async handle({ writerDb, publicUrl, savedTargets }, { name, ...input }) {
    await requireSavableSites({ savedTargets }, input)
    return { app: appJson(await createApp(writerDb, { ...appDetails(input), name }), publicUrl()) }
  },
})

export const getAppOperation = defineAdminOperation({
  method: 'GET',
  path: 'apps/{id}',
  summary: 'Fetch an app',
  description: 'Returns one app by its id.',
  params: appParams,
  reply: AppResponse,
  notFound: unknownApp,

  async handle({ writerDb, publicUrl }, _query, { id }) {
    return { app: appJson(await requireApp(writerDb, id), publicUrl()) }
  },
})

export const editAppOperation = defineAdminOperation({
  method: 'PATCH',
  path: 'apps/{id}',
  summary: 'Update an app',
  description: 'Absent members stay as they are; null removes `fid` or `mini_app_domain`.',
  params: appParams,
  input: Type.Partial(Type.Object(appMembers)),
  reply: AppResponse,
  notFound: unknownApp,
  conflict: 'Another app has the name or the mini app domain: `property` tells which.',

  async handle({ writerDb, publicUrl, savedTargets }, input, { id }) {
    await requireSavableSites({ savedTargets }, input)
    const app = await editApp(writerDb, id, appDetails(input))
    if (app === null) throw unknownError('app')
    return { app: appJson(app, publicUrl()) }
  },
})

const byId = cursorKind('API keys by id', keyPart.int4)

export const listKeysOperation = defineAdminOperation({
  method: 'GET',
  path: 'apps/{id}/keys',
  summary: 'List API keys of an app',
  description: 'Oldest first, including revoked keys.',
  params: appParams,
  input: pageQuery,
  reply: ApiKeysResponse,
  notFound: unknownApp,

  async handle({ writerDb }, { limit, cursor }, { id }) {
    const [after = null] = byId.decode(cursor) ?? []
    await requireApp(writerDb, id)
    const found = await listKeysOfApp(writerDb, id, { limit: limit + 1, after })
    const { page: keys, next } = byId.page(found, limit, (last) => [last.id])
    return { api_keys: keys.map(apiKeyJson), next }
  },
})

export const createKeyOperation = defineAdminOperation({
  method: 'POST',
  path: 'apps/{id}/keys',
  summary: 'Create an API key for an app',
  description: 'The key is valid at once. This reply is the only one that ever contains it.',
  params: appParams,
  input: Type.Object({ rate_limit: Type.Optional(rateLimitMember) }),
  reply: NewApiKeyResponse,
  status: 201,
  notFound: unknownApp,

  async handle({ writerDb }, { rate_limit = null }, { id }) {
    await requireApp(writerDb, id)
    const { key, ...record } = await createApiKey(writerDb, { appId: id, rateLimit: rate_limit })
    return { api_key: apiKeyJson(record), key }
  },
})

export const editKeyOperation = defineAdminOperation({
  method: 'PATCH',
  path: 'keys/{id}',
  summary: 'Update the rate limit of an API key',
  description: 'Servers apply the new limit within a second.',
  params: keyParams,
  input: Type.Object({ rate_limit: rateLimitMember }),
  reply: ApiKeyResponse,
  notFound: unknownKey,

  async handle({ writerDb }, { rate_limit }, { id }) {
    const key = await setApiKeyRateLimit(writerDb, id, rate_limit)
    if (key === null) throw unknownError('key')
    return { api_key: apiKeyJson(key) }
  },
})

export const revokeKeyOperation = defineAdminOperation({
  method: 'DELETE',
  path: 'keys/{id}',
  summary: 'Revoke an API key',
  description: 'Servers refuse the key within a second. It stays listed; revoking it again has no effect.',
  params: keyParams,
  reply: ApiKeyResponse,
  notFound: unknownKey,

  async handle({ writerDb }, _body, { id }) {
    const revoked = await revokeApiKey(writerDb, id)
    if (revoked === null) throw unknownError('key')
    return { api_key: apiKeyJson(revoked.key) }
  },
})
