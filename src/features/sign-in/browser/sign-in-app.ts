import type { Queryable } from '../../../platform/db/connection.js'
import { PlazaError } from '../../../platform/errors.js'
import { isUuid } from '../../../platform/text/uuid.js'
import type { SignInPermission } from '../../apps/authorized-origins.js'

/** An app as the login page needs it. */
export interface SignInApp {
  readonly id: string
  readonly name: string
  /** The app's account on the network. */
  readonly fid: number | null
  readonly pfpUrl: string | null
  readonly authorizedOrigins: readonly string[]
  readonly permission: SignInPermission
}

/**
 * Finds an app by its client id, which is its id.
 *
 * @throws PlazaError `not_found`.
 */
export async function findSignInApp(db: Queryable, clientId: string): Promise<SignInApp> {
  const [app] = isUuid(clientId)
    ? await db<SignInApp[]>`
        select
          a.id, a.name, a.fid, u.pfp_url as "pfpUrl",
          a.authorized_origins as "authorizedOrigins", a.sign_in_permission as permission
        from apps.apps a
        left join social.users u on u.fid = a.fid
        where a.id = ${clientId}`
    : []
  if (app === undefined) {
    throw new PlazaError('not_found', 'there is no app with this client_id', { property: 'client_id' })
  }
  return app
}
