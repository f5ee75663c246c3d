import type { Queryable } from '../../../platform/db/connection.js'

/**
 * Whether a name is neither taken nor being registered.
 *
 * @param name In lowercase.
 */
export async function isNameFree(db: Queryable, name: string): Promise<boolean> {
  const holders = await db`
    select from hub.username_proofs where name = ${name} and fid <> 0
    union all
    select from accounts.registrations where fname = ${name} and step not in ('done', 'undone')`
  return holders.length === 0
}
