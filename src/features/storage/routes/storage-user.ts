import type { Hydrator } from '../../../graph/cache/hydrator.js'
import type { UserDehydrated } from '../../../graph/view/schema/user-dehydrated.js'
import { PlazaError } from '../../../platform/errors.js'

export const unknownUser = 'There is no user with this fid.'

/** The user whose storage it is. Throws `not_found` when there is none. */
export async function storageUser(hydrator: Hydrator, fid: number): Promise<UserDehydrated> {
  const users = await hydrator.dehydratedUsers([fid])
  const user = users.get(fid)
  if (!user) throw new PlazaError('not_found', `there is no user with fid ${fid}`, { property: 'fid' })
  return user
}
