import { Type } from '@sinclair/typebox'
import { cursorKind, keyPart } from '../../../api/cursor.js'
import { AppResponse, AppsResponse } from '../../../graph/view/schema/app.js'
import { defineAdminOperation } from '../../admin-operation.js'
import { createApp, editApp, findApp, listApps } from '../apps.js'
import { appJson } from './app-json.js'
import {
  appDetails,
  appMembers,
  appParams,
  pageQuery,
  unknownApp,
  unknownAppError,
} from './app-parameters.js'

const byName = cursorKind('apps by name', keyPart.text)

/** `GET /admin/apps` */
export const listAppsOperation = defineAdminOperation({
  method: 'GET',
  path: 'apps',
  summary: 'List apps',
  description: 'All apps, ordered by name.',
  input: pageQuery,
  reply: AppsResponse,

  async handle({ writerDb, publicUrl }, { limit, cursor }) {
    const [after = null] = byName.decode(cursor) ?? []
    const found = await listApps(writerDb, { limit: limit + 1, after })
    const { page: apps, next } = byName.page(found, limit, (last) => [last.name])
    return {
      apps: apps.map((app) => appJson(app, publicUrl())),
      next,
    }
  },
})

/** `POST /admin/apps` */
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
  }),
  reply: AppResponse,
  status: 201,
  conflict: 'Another app has the name or the mini app domain: `property` tells which.',

  async handle({ writerDb, publicUrl }, { name, ...input }) {
    return { app: appJson(await createApp(writerDb, { ...appDetails(input), name }), publicUrl()) }
  },
})

/** `GET /admin/apps/{id}` */
export const getAppOperation = defineAdminOperation({
  method: 'GET',
  path: 'apps/{id}',
  summary: 'Fetch an app',
  description: 'Returns one app by its id.',
  params: appParams,
  reply: AppResponse,
  notFound: unknownApp,

  async handle({ writerDb, publicUrl }, _query, { id }) {
    const app = await findApp(writerDb, id)
    if (app === null) throw unknownAppError()
    return { app: appJson(app, publicUrl()) }
  },
})

/** `PATCH /admin/apps/{id}` */
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

  async handle({ writerDb, publicUrl }, input, { id }) {
    const app = await editApp(writerDb, id, appDetails(input))
    if (app === null) throw unknownAppError()
    return { app: appJson(app, publicUrl()) }
  },
})
