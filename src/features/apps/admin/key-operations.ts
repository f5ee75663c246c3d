import { Type } from '@sinclair/typebox'
import { cursorKind, keyPart } from '../../../api/cursor.js'
import { ApiKeyResponse, ApiKeysResponse, NewApiKeyResponse } from '../../../graph/view/schema/app.js'
import { defineAdminOperation } from '../../admin-operation.js'
import { createApiKey, listKeysOfApp, revokeApiKey, setApiKeyRateLimit } from '../api-keys.js'
import { findApp } from '../apps.js'
import { apiKeyJson } from './app-json.js'
import {
  appParams,
  keyParams,
  pageQuery,
  rateLimitMember,
  unknownApp,
  unknownAppError,
  unknownKey,
  unknownKeyError,
} from './app-parameters.js'

const byId = cursorKind('API keys by id', keyPart.integer)

/** `GET /admin/apps/{id}/keys` */
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
    if (!(await findApp(writerDb, id))) throw unknownAppError()
    const found = await listKeysOfApp(writerDb, id, { limit: limit + 1, after })
    const { page: keys, next } = byId.page(found, limit, (last) => [last.id])
    return { api_keys: keys.map(apiKeyJson), next }
  },
})

/** `POST /admin/apps/{id}/keys` */
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
    if (!(await findApp(writerDb, id))) throw unknownAppError()
    const { key, ...record } = await createApiKey(writerDb, { appId: id, rateLimit: rate_limit })
    return { api_key: apiKeyJson(record), key }
  },
})

/** `PATCH /admin/keys/{id}` */
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
    if (key === null) throw unknownKeyError()
    return { api_key: apiKeyJson(key) }
  },
})

/** `DELETE /admin/keys/{id}` */
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
    if (revoked === null) throw unknownKeyError()
    return { api_key: apiKeyJson(revoked.key) }
  },
})
