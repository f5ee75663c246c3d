import type { Caller } from '../../../api/caller.js'
import { PlazaError } from '../../../platform/errors.js'
import { findApp } from '../../apps/apps.js'
import type { OperationContext } from '../../operation.js'

/** What is said with 404. */
export const noMiniApp = 'The app of this API key has no mini app: it has no mini app domain.'

/**
 * The domain of the caller's mini app: an app is addressed by its API key (docs/compatibility.md §19.1).
 *
 * @throws PlazaError `not_found` for an app without one.
 */
export async function miniAppDomainOf(
  { db }: Pick<OperationContext, 'db'>,
  { appId }: Caller,
): Promise<string> {
  const app = await findApp(db, appId)
  if (!app?.miniAppDomain) throw new PlazaError('not_found', noMiniApp)
  return app.miniAppDomain
}
