import { cursorKind, keyPart } from '../../../api/cursor.js'
import { AppsResponse } from '../../../graph/view/schema/app.js'
import { defineAdminOperation } from '../../admin-operation.js'
import { listApps } from '../apps.js'
import { appJson } from './app-json.js'
import { pageQuery } from './app-parameters.js'

const byName = cursorKind('apps by name', keyPart.text)

/** `GET /admin/apps` */
export const listAppsOperation = defineAdminOperation({
  method: 'GET',
  path: 'apps',
  summary: 'All apps, by name',
  input: pageQuery,
  reply: AppsResponse,

  async handle({ writerDb, publicUrl }, { limit, cursor }) {
    const [after = null] = byName.decode(cursor) ?? []
    const found = await listApps(writerDb, { limit: limit + 1, after })
    const apps = found.slice(0, limit)
    const last = found.length > limit ? apps.at(-1) : undefined
    return {
      apps: apps.map((app) => appJson(app, publicUrl())),
      next: { cursor: last ? byName.encode([last.name]) : null },
    }
  },
})
