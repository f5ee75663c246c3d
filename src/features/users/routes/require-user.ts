import type { Hydrator } from '../../../graph/cache/hydrator.js'
import { PlazaError } from '../../../platform/errors.js'

/**
 * The reply of a look-up: the user that was found. Throws `not_found`, naming the parameter, when it was nobody.
 *
 * @param missing Who was not found: `there is no user of this name`.
 */
export async function requireUser(
  hydrator: Hydrator,
  fid: number | null,
  { viewerFid, property, missing }: { viewerFid?: number | undefined; property: string; missing: string },
): Promise<string> {
  const user = fid === null ? undefined : (await hydrator.users([fid], viewerFid)).get(fid)
  if (user === undefined) throw new PlazaError('not_found', missing, { property })
  return `{"user":${user}}`
}
