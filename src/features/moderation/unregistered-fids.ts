import type { Database } from '../../platform/db/connection.js'

/** Returns the fids that are not registered. */
export async function findUnregisteredFids(db: Database, fids: readonly number[]): Promise<number[]> {
  const rows = await db<{ fid: number }[]>`
    select distinct fid
    from unnest(${[...fids]}::bigint[]) as requested (fid)
    where not exists (select from social.users u where u.fid = requested.fid)
    order by fid
  `
  return rows.map(({ fid }) => fid)
}
