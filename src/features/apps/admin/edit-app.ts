import { Type } from '@sinclair/typebox'
import { AppResponse } from '../../../graph/view/schema/app.js'
import { defineAdminOperation } from '../../admin-operation.js'
import { editApp } from '../apps.js'
import { appJson } from './app-json.js'
import { appDetails, appMembers, appParams, unknownApp, unknownAppError } from './app-parameters.js'

/** `PATCH /admin/apps/{id}` */
export const editAppOperation = defineAdminOperation({
  method: 'PATCH',
  path: 'apps/{id}',
  summary: 'Change an app',
  description: 'What is not given stays as it is; null takes `fid` or `mini_app_domain` away.',
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
