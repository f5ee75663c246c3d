import type { Database } from '../../../db/connection.js'
import { PlazaError } from '../../../errors.js'
import { prefixedHex } from '../../../views/formats.js'
import type { UserDehydrated } from '../../../views/schema/user-dehydrated.js'

export const unknownUser = 'There is no user with this fid.'

/** The user whose storage it is. Throws `not_found` when there is none. */
export async function readStorageUser(db: Database, fid: number): Promise<UserDehydrated> {
  const [row] = await db<{ custodyAddress: Buffer }[]>`
    select custody_address as "custodyAddress" from hub.fids where fid = ${fid}::bigint`
  if (!row) throw new PlazaError('not_found', `there is no user with fid ${fid}`, { property: 'fid' })
  return { object: 'user_dehydrated', fid, custody_address: prefixedHex(row.custodyAddress) }
}
