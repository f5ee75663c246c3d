import { isShownInChannel } from '../../graph/query/feeds-by-parent.js'
import type { Database } from '../../platform/db/connection.js'

/** The newest casts of a channel whose authors and reactors count. */
export const COUNTED_CASTS = 10_000

/** The newest likes and recasts of a cast whose users count. */
export const MAX_COUNTED_REACTIONS = 1_000

/** Selection of users of a channel. */
export interface ChannelUserSelection {
  readonly channelId: string
  readonly rootAuthors: boolean
  readonly replyAuthors: boolean
  readonly likers: boolean
  readonly recasters: boolean
  readonly hidden: readonly number[]
}

/** Reads registered users who were active in a channel, by ascending fid, after a fid. */
export async function readChannelUsers(
  db: Database,
  { channelId, rootAuthors, replyAuthors, likers, recasters, hidden }: ChannelUserSelection,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<number[]> {
  const types = [...(likers ? [1] : []), ...(recasters ? [2] : [])]
  const rows = await db<{ fid: number }[]>`
    with newest as materialized (
      select c.hash, c.fid, c.parent_hash
      from channels.urls parent
      cross join lateral (
        select * from social.casts c
        where c.root_parent_url = parent.url and ${isShownInChannel(db, channelId)}
        order by c.ts desc, c.hash desc
        limit ${COUNTED_CASTS}
      ) c
      where parent.channel_id = ${channelId}
      order by c.ts desc, c.hash desc
      limit ${COUNTED_CASTS}
    )
    select u.fid
    from (
      select c.fid from newest c
      where case when c.parent_hash is null then ${rootAuthors}::boolean else ${replyAuthors}::boolean end
      union
      select r.fid
      from newest c
      cross join lateral (
        select t.fid from social.reactions t
        where t.target_hash = c.hash and t.target_fid = c.fid and t.type = any (${types}::smallint[])
        order by t.ts desc, t.fid desc
        limit ${MAX_COUNTED_REACTIONS}
      ) r
      -- Checked before any reaction is read.
      where cardinality(${types}::smallint[]) > 0
    ) active
    join social.users u using (fid)
    where u.fid > ${after}::bigint and u.fid <> all (${[...hidden]}::bigint[])
    order by u.fid
    limit ${limit}
  `
  return rows.map(({ fid }) => fid)
}
