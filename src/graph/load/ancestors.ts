import type { Database } from '../../platform/db/connection.js'

/** A deeper reply depends on more casts than a cached view has tags for. */
const MAX_ANCESTORS = 64

/**
 * Finds the casts that the replies from each cast up to the beginning of its thread name as their parents, stored or not.
 *
 * @param replies Hashes as lowercase hex without 0x, as in the result.
 * @returns null for a reply with more than `MAX_ANCESTORS`.
 */
export async function loadAncestors(
  db: Database,
  replies: readonly string[],
): Promise<ReadonlyMap<string, readonly string[] | null>> {
  if (replies.length === 0) return new Map()
  const rows = await db<{ hash: string; ancestors: string[] }[]>`
    with recursive above (reply, parent_hash, parent_fid, level) as (
      select c.hash, c.parent_hash, c.parent_fid, 1
      from social.casts c
      where c.hash = any (
        array(select decode(hash, 'hex') from unnest(${db.types.texts(replies)}::text[]) as requested (hash))
      )
      union all
      select a.reply, p.parent_hash, p.parent_fid, a.level + 1
      from above a
      join social.casts p on p.hash = a.parent_hash and p.fid = a.parent_fid
      where p.parent_hash is not null and a.level <= ${MAX_ANCESTORS}
    )
    select encode(reply, 'hex') as hash, array_agg(encode(parent_hash, 'hex')) as ancestors
    from above
    group by reply`
  return new Map(
    rows.map(({ hash, ancestors }) => [hash, ancestors.length <= MAX_ANCESTORS ? ancestors : null]),
  )
}
