import { Type } from '@sinclair/typebox'
import { AppResponse } from '../../../graph/view/schema/app.js'
import { defineAdminOperation } from '../../admin-operation.js'
import { createApp } from '../apps.js'
import { appJson } from './app-json.js'
import { appDetails, appMembers } from './app-parameters.js'

/** `POST /admin/apps` */
export const createAppOperation = defineAdminOperation({
  method: 'POST',
  path: 'apps',
  summary: 'Make an app',
  description: 'It has no key yet. Without a `developer_uuid` it gets a new one.',
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
