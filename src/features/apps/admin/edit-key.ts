import { Type } from '@sinclair/typebox'
import { ApiKeyResponse } from '../../../graph/view/schema/app.js'
import { defineAdminOperation } from '../../admin-operation.js'
import { setApiKeyRateLimit } from '../api-keys.js'
import { apiKeyJson } from './app-json.js'
import { keyParams, rateLimitMember, unknownKey, unknownKeyError } from './app-parameters.js'

/** `PATCH /admin/keys/{id}` */
export const editKeyOperation = defineAdminOperation({
  method: 'PATCH',
  path: 'keys/{id}',
  summary: 'Give a key another limit',
  description: 'Servers know it within a second.',
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
