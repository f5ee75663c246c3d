import { Type } from '@sinclair/typebox'
import { NewApiKeyResponse } from '../../../graph/view/schema/app.js'
import { defineAdminOperation } from '../../admin-operation.js'
import { createApiKey } from '../api-keys.js'
import { findApp } from '../apps.js'
import { apiKeyJson } from './app-json.js'
import { appParams, rateLimitMember, unknownApp, unknownAppError } from './app-parameters.js'

/** `POST /admin/apps/{id}/keys` */
export const createKeyOperation = defineAdminOperation({
  method: 'POST',
  path: 'apps/{id}/keys',
  summary: 'Make a key for an app',
  description: 'The reply is the only place where the key is ever shown. It is good at once.',
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
