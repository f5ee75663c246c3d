import { PlazaError } from '../../../errors.js'
import type { Hydrator } from '../../../hydrate/hydrator.js'
import type { UserDehydrated } from '../../../views/schema/user-dehydrated.js'

export const unknownUser = 'There is no user with this fid.'

/** The user whose storage it is. Throws `not_found` when there is none. */
export async function storageUser(hydrator: Hydrator, fid: number): Promise<UserDehydrated> {
  const users = await hydrator.dehydratedUsers([fid])
  const user = users.get(fid)
  if (!user) throw new PlazaError('not_found', `there is no user with fid ${fid}`, { property: 'fid' })
  return user
}
