import type { Fragment } from '#postgres'
import type { Queryable } from '../../platform/db/connection.js'
import { kinds } from './kinds.js'

/**
 * SQL for the expected inbox rows, as selections over the read model with the columns of `inbox.notifications`. The
 * consumer selects what a batch affected, a rebuild selects everything; both write exactly these rows. Users are not
 * notified of their own actions.
 */

/** Column names in the order of the selections. */
export const notificationColumns = (db: Queryable) => db`fid, kind, hash, ts, actor, root_url, suppressed_by`

/**
 * SQL for mentions, replies and quotes.
 *
 * @param castCondition A condition on casts `c`.
 */
export function castSources(db: Queryable, castCondition: Fragment): Fragment {
  const { mentions, replies, quotes } = kinds
  const replyBit = 1 << replies
  const quoteBit = 1 << quotes
  return db`
    select c.parent_fid as fid, ${replies}::smallint as kind, c.hash, c.ts, c.fid as actor,
      c.root_parent_url as root_url, 0::smallint as suppressed_by
    from social.casts c
    where ${castCondition} and c.parent_fid <> c.fid
    union all
    select distinct q.quoted_fid, ${quotes}::smallint, c.hash, c.ts, c.fid, c.root_parent_url,
      case when q.quoted_fid = c.parent_fid then ${replyBit} else 0 end::smallint
    from social.casts c
    join social.quotes q on q.hash = c.hash
    where ${castCondition} and q.quoted_fid <> c.fid
    union all
    select distinct m.fid, ${mentions}::smallint, c.hash, c.ts, c.fid, c.root_parent_url,
      (
        case when m.fid = c.parent_fid then ${replyBit} else 0 end
        + case when exists (select from social.quotes q where q.hash = c.hash and q.quoted_fid = m.fid)
            then ${quoteBit} else 0 end
      )::smallint
    from social.casts c
    cross join lateral unnest(c.mentions) as m (fid)
    where ${castCondition} and m.fid <> c.fid`
}

/**
 * SQL for the newest follower of each user.
 *
 * @param groups Rows with a `fid`.
 */
export function followSources(db: Queryable, groups: Fragment): Fragment {
  return db`
    select g.fid, ${kinds.follows}::smallint as kind, ''::bytea as hash, newest.ts, newest.fid as actor,
      null::text as root_url, 0::smallint as suppressed_by
    from ${groups} g
    cross join lateral (
      select f.ts, f.fid
      from social.follows f
      where f.target_fid = g.fid and f.fid <> g.fid
      order by f.ts desc, f.fid desc
      limit 1
    ) newest`
}

/**
 * SQL for the newest reaction of each kind to each stored cast. Of others there are none: anybody can react to a million casts
 * that never were, and name a user as their author.
 *
 * @param groups Rows with a `fid`, a `hash` and a `kind`.
 */
export function reactionSources(db: Queryable, groups: Fragment): Fragment {
  // The type is a literal, so that recasts use their partial index.
  const newestOf = (kind: number, type: Fragment) => db`
    (
      select r.ts, r.fid
      from social.reactions r
      where g.kind = ${kind}::smallint and r.type = ${type}
        and r.target_hash = g.hash and r.target_fid = g.fid and r.fid <> g.fid
      order by r.ts desc, r.fid desc
      limit 1
    )`
  return db`
    select g.fid, g.kind, g.hash, newest.ts, newest.fid as actor, c.root_parent_url as root_url,
      0::smallint as suppressed_by
    from ${groups} g
    join social.casts c on c.hash = g.hash and c.fid = g.fid
    cross join lateral (
      ${newestOf(kinds.likes, db`1`)}
      union all
      ${newestOf(kinds.recasts, db`2`)}
    ) newest`
}
