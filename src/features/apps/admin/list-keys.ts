import { cursorKind, keyPart } from '../../../api/cursor.js'
import { ApiKeysResponse } from '../../../graph/view/schema/app.js'
import { defineAdminOperation } from '../../admin-operation.js'
import { listKeysOfApp } from '../api-keys.js'
import { findApp } from '../apps.js'
import { apiKeyJson } from './app-json.js'
import { appParams, pageQuery, unknownApp, unknownAppError } from './app-parameters.js'

const byId = cursorKind('API keys by id', keyPart.integer)

/** `GET /admin/apps/{id}/keys` */
export const listKeysOperation = defineAdminOperation({
  method: 'GET',
  path: 'apps/{id}/keys',
  summary: 'The keys of an app, the oldest first, revoked ones among them',
  params: appParams,
  input: pageQuery,
  reply: ApiKeysResponse,
  notFound: unknownApp,

  async handle({ writerDb }, { limit, cursor }, { id }) {
    const [after = null] = byId.decode(cursor) ?? []
    if (!(await findApp(writerDb, id))) throw unknownAppError()
    const found = await listKeysOfApp(writerDb, id, { limit: limit + 1, after })
    const keys = found.slice(0, limit)
    const last = found.length > limit ? keys.at(-1) : undefined
    return { api_keys: keys.map(apiKeyJson), next: { cursor: last ? byId.encode([last.id]) : null } }
  },
})
