import { Type } from '@sinclair/typebox'
import { AppHostUserStateResponse } from '../../../../graph/view/schema/app-host.js'
import { defineOperation } from '../../../operation.js'
import { listEnabled } from '../../hosts/host-tokens.js'
import { hostFidParameter } from './host-parameters.js'

/** `GET app_host/user/state` */
export const appHostUserState = defineOperation({
  method: 'GET',
  path: 'app_host/user/state',
  tag: 'App host',
  summary: 'The mini apps that may notify a user',
  description:
    'Those that were told by this app that the user has enabled notifications, and not since that it ended.',
  query: Type.Object({ fid: hostFidParameter }),
  reply: AppHostUserStateResponse,

  async handle({ writerDb }, { fid }, { appId }) {
    const enabled = await listEnabled(writerDb, appId, fid)
    return {
      notifications_enabled: enabled.map(({ domain, updatedAt }) => ({
        domain,
        status: 'valid',
        updated_at: updatedAt.toISOString(),
      })),
    }
  },
})
