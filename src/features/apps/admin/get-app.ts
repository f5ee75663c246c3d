import { AppResponse } from '../../../graph/view/schema/app.js'
import { defineAdminOperation } from '../../admin-operation.js'
import { findApp } from '../apps.js'
import { appJson } from './app-json.js'
import { appParams, unknownApp, unknownAppError } from './app-parameters.js'

/** `GET /admin/apps/{id}` */
export const getAppOperation = defineAdminOperation({
  method: 'GET',
  path: 'apps/{id}',
  summary: 'One app',
  params: appParams,
  reply: AppResponse,
  notFound: unknownApp,

  async handle({ writerDb, publicUrl }, _query, { id }) {
    const app = await findApp(writerDb, id)
    if (app === null) throw unknownAppError()
    return { app: appJson(app, publicUrl()) }
  },
})
