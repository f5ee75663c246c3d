import type { FastifyInstance } from 'fastify'
import { type KeyOptions, requireApiKey } from '../../api/authenticate.js'
import type { Caller } from '../../api/caller.js'
import { handleErrors } from '../../api/error-response.js'
import type { OperationContext } from '../operation.js'
import { findSignInApp } from './browser/sign-in-app.js'

/** Options of the portal's routes. */
export type PortalOptions = KeyOptions & Pick<OperationContext, 'db'>

/** Registers `GET /portal/app_by_api_key`, by which the published starter kit finds the app of its key. */
export async function registerPortal(
  app: FastifyInstance,
  { db, ...keyOptions }: PortalOptions,
): Promise<void> {
  await app.register(
    async (scope) => {
      handleErrors(scope)
      requireApiKey(scope, keyOptions)
      scope.get('/app_by_api_key', async (request) => {
        const { appId } = request.getDecorator<Caller>('caller')
        const { id, name, pfpUrl } = await findSignInApp(db, appId)
        return { app_uuid: id, app_name: name, logo_url: pfpUrl }
      })
    },
    { prefix: '/portal' },
  )
}
