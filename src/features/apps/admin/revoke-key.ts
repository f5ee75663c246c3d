import { ApiKeyResponse } from '../../../graph/view/schema/app.js'
import { defineAdminOperation } from '../../admin-operation.js'
import { revokeApiKey } from '../api-keys.js'
import { apiKeyJson } from './app-json.js'
import { keyParams, unknownKey, unknownKeyError } from './app-parameters.js'

/** `DELETE /admin/keys/{id}` */
export const revokeKeyOperation = defineAdminOperation({
  method: 'DELETE',
  path: 'keys/{id}',
  summary: 'Revoke a key',
  description: 'Servers refuse it within a second. It stays listed, and revoking it again changes nothing.',
  params: keyParams,
  reply: ApiKeyResponse,
  notFound: unknownKey,

  async handle({ writerDb }, _body, { id }) {
    const revoked = await revokeApiKey(writerDb, id)
    if (revoked === null) throw unknownKeyError()
    return { api_key: apiKeyJson(revoked.key) }
  },
})
