import type { Fragment } from '#postgres'
import type { Database } from '../../platform/db/connection.js'
import { literal } from '../../platform/db/literal.js'
import { popularityOf } from './user-popularity.js'

/** A user that a search found, and its position. */
export interface FoundUser {
  readonly fid: number
  /**
   * 0 for the exact username, 1 and 2 for usernames with the prefix, 3 and 4 for display names with it, 5 and
   * 6 for similarity. The smaller of two is for users whom the viewer follows.
   */
  readonly tier: number
  /** Within a tier, larger is earlier. */
  readonly weight: number
}

/** A search for users, and its viewer. */
export interface UserSearch {
  /** In any case: PostgreSQL makes it lowercase as it has made the names in its indexes, which depends on its locale. */
  readonly text: string
  readonly viewerFid: number | undefined
  readonly hidden: readonly number[]
  readonly limit: number
}

/** The key of the previous page. */
export type UserSearchCursor = readonly [tier: number, weight: number, fid: number]

/** Before the first user. */
const START_CURSOR: UserSearchCursor = [-1, 0, 0]
/** The first tier of similar names. */
const FIRST_SIMILAR_TIER = 5

/** A prefix of more names than this has a list of top users; for a rarer one all users are read. */
export const MIN_NAMES_PER_PREFIX = 100

/** `kind` of search.top_users_by_prefix. */
export const nameKind = { username: 0, displayName: 1 } as const

/** After every text with a common prefix: the last character of Unicode. */
const LAST_CHARACTER = '\u{10FFFF}'

/** The latest follows of a user, which are searched for a common prefix. */
const MAX_FOLLOWS = 1_000

/**
 * Finds users whose names start with the text, and then those with similar names: what few users need costs the most, so
 * it is looked for only if the others do not fill the page. One statement: two searches of three need both, and a statement of
 * its own takes longer than a prefix.
 */
export async function searchUsers(
  db: Database,
  search: UserSearch,
  after: UserSearchCursor = START_CURSOR,
): Promise<FoundUser[]> {
  const byPrefix = after[0] < FIRST_SIMILAR_TIER
  const bySimilarity = supportsSimilarity(search.text)
  const tables = db`
    with typed as materialized (
      select text, text || ${LAST_CHARACTER} as last from lower(${search.text}::text) as text
    )`
  if (byPrefix && bySimilarity) {
    const isNeeded = db`(select count(*) from with_prefix) < ${search.limit}::bigint`
    return await db<FoundUser[]>`
      ${tables}, ${prefixTables(db, search, after)}, ${similarityTables(db, search, START_CURSOR, isNeeded)}
      select * from with_prefix union all select * from with_similarity
      order by tier, weight desc, fid
      limit ${literal(db, search.limit)}`
  }
  if (byPrefix) {
    return await db<FoundUser[]>`${tables}, ${prefixTables(db, search, after)} select * from with_prefix`
  }
  if (!bySimilarity) return []
  return await db<
    FoundUser[]
  >`${tables}, ${similarityTables(db, search, after, db`true`)} select * from with_similarity`
}

/**
 * SQL for a table of users whose username or display name starts with the text: `with_prefix`. A rare prefix: all matching
 * users are read and sorted. A common one: its top users, listed by a scheduled job (`refresh/search-prefix-lists.ts`), and
 * the users whom the viewer follows.
 */
function prefixTables(
  db: Database,
  { viewerFid = 0, hidden, limit }: UserSearch,
  [tier, weight, fid]: UserSearchCursor,
): Fragment {
  const isNamed = db`(u.username ~>=~ ${typed(db)} and u.username ~<=~ (select last from typed))`
  const columns = db`u.fid, u.username, u.display_name, u.score`
  const isShown = db`(lower(u.display_name) ~>=~ ${typed(db)} and lower(u.display_name) ~<=~ (select last from typed))`
  return db`
    top_users as materialized (
      select kind, fid from search.top_users_by_prefix where prefix = ${typed(db)}
    ), candidates as (
      select ${columns} from social.users u where u.username = ${typed(db)}
      union
      select ${columns} from top_users join social.users u using (fid)
      union (
        select ${columns} from social.users u
        where ${isNamed} and not exists (select 1 from top_users where kind = ${nameKind.username})
        order by username using ~<~
        limit ${literal(db, MIN_NAMES_PER_PREFIX)}
      )
      union (
        select ${columns} from social.users u
        where ${isShown} and not exists (select 1 from top_users where kind = ${nameKind.displayName})
        order by lower(display_name) using ~<~
        limit ${literal(db, MIN_NAMES_PER_PREFIX)}
      )
      union
      select ${columns}
      from (
        select target_fid from social.follows
        where fid = ${viewerFid} and exists (select 1 from top_users)
        order by ts desc, target_fid desc
        limit ${literal(db, MAX_FOLLOWS)}
      ) f
      join social.users u on u.fid = f.target_fid
      where ${isNamed} or ${isShown}
    ), ranked_by_name as (
      select u.fid, ${popularityOf(db)} as weight,
        case
          when u.username = ${typed(db)} then 0
          when ${isNamed} then 2 - follows.one
          when ${isShown} then 4 - follows.one
        end as tier
      from candidates u
      left join lateral (
        -- The limit keeps the planner from a hash of all counts, which was most of a search among 2,000 users.
        select follower_count from social.user_counts where fid = u.fid limit 1
      ) c on true
      cross join lateral (
        select case when ${viewerFid} <> 0 and exists (
          select 1 from social.follows f where f.fid = ${viewerFid} and f.target_fid = u.fid
        ) then 1 else 0 end as one
      ) follows
      where u.fid <> all (${[...hidden]}::bigint[])
    ), with_prefix as materialized (
      select fid, tier, weight
      from ranked_by_name
      where tier > ${tier} or (tier = ${tier} and (weight, -fid) < (${weight}::float8, ${-fid}::bigint))
      order by tier, weight desc, fid
      limit ${literal(db, limit)}
    )`
}

/**
 * The text of a search, hidden from the planner: it makes the same plan for each text, which takes 0.8 of the 1.05 ms of a
 * search by prefix, and 0.7 to 1.4 of the 2.1 to 2.3 ms of one by similarity.
 */
function typed(db: Database): Fragment {
  return db`(select text from typed)`
}

/** Names are similar from here on: half of the trigrams of both are the same. */
const MIN_SIMILARITY = 0.45
/** Words of a display name are similar from here on: with a text of three letters, a word may continue. */
const MIN_WORD_SIMILARITY = 0.7
/** The length of texts that similarity applies to: short texts resemble everything, long ones nothing. */
const SIMILARITY_LENGTH_RANGE = { min: 3, max: 40 }
/** The most similar users, which are then sorted. */
const MAX_SIMILAR = 50

/** Whether similarity applies to a text. */
function supportsSimilarity(text: string): boolean {
  const { length } = [...text]
  return length >= SIMILARITY_LENGTH_RANGE.min && length <= SIMILARITY_LENGTH_RANGE.max
}

/**
 * SQL for a table of users with a username, display name or word of it that is similar to the text and does not start with
 * it: `with_similarity`. The most similar first, in steps of a tenth; within a step the more popular. In a large network it
 * reads only the most popular users.
 *
 * @param isNeeded Without it, nothing is read.
 */
function similarityTables(
  db: Database,
  { viewerFid = 0, hidden, limit }: UserSearch,
  [tier, weight, fid]: UserSearchCursor,
  isNeeded: Fragment,
): Fragment {
  // The similarity operators read their thresholds from settings. A setting made inside the statement lasts
  // as long as the statement.
  const similarityTo = (username: Fragment, displayNameColumn: Fragment) => db`greatest(
    coalesce(similarity(${username}, ${typed(db)}), 0), coalesce(similarity(${displayNameColumn}, ${typed(db)}), 0),
    coalesce(word_similarity(${typed(db)}, ${displayNameColumn}), 0)
  )`
  const isSimilar = (username: Fragment, displayNameColumn: Fragment) =>
    db`(${username} % ${typed(db)} or ${displayNameColumn} % ${typed(db)} or ${displayNameColumn} %> ${typed(db)})`
  const startsWithText = (username: Fragment, displayNameColumn: Fragment) => db`(
    coalesce(starts_with(${username}, ${typed(db)}), false) or coalesce(starts_with(${displayNameColumn}, ${typed(db)}), false)
  )`
  const hiddenFids = [...hidden]
  const known = [db`k.username`, db`k.display_name`] as const
  const all = [db`u.username`, db`lower(u.display_name)`] as const
  return db`
    set as materialized (
      select ${isNeeded} and set_config('pg_trgm.similarity_threshold', ${String(MIN_SIMILARITY)}, true) is not null
          and set_config('pg_trgm.word_similarity_threshold', ${String(MIN_WORD_SIMILARITY)}, true) is not null as done,
        exists (select 1 from search.popular_users) as is_large
    ), similar_users as (
      select found.fid, found.similarity
      from set
      cross join lateral (
        select k.fid, ${similarityTo(...known)} as similarity
        from search.popular_users k
        where set.done and set.is_large and ${isSimilar(...known)}
          and not ${startsWithText(...known)} and k.fid <> all (${hiddenFids}::bigint[])
        union all
        select u.fid, ${similarityTo(...all)}
        from social.users u
        where set.done and not set.is_large and ${isSimilar(...all)}
          and not ${startsWithText(...all)} and u.fid <> all (${hiddenFids}::bigint[])
      ) found
      order by found.similarity desc, found.fid
      limit ${literal(db, MAX_SIMILAR)}
    ), ranked_by_similarity as (
      select u.fid,
        1000 * floor(10 * similar_users.similarity) + ${popularityOf(db)} as weight,
        case when ${viewerFid} <> 0 and exists (
          select 1 from social.follows f where f.fid = ${viewerFid} and f.target_fid = u.fid
        ) then 5 else 6 end as tier
      from similar_users
      join social.users u using (fid)
      left join social.user_counts c using (fid)
      -- The stored names of popular users may be an hour old: a present name that starts with the text is found by the prefix.
      where not ${startsWithText(...all)}
    ), with_similarity as (
      select fid, tier, weight
      from ranked_by_similarity
      where tier > ${tier} or (tier = ${tier} and (weight, -fid) < (${weight}::float8, ${-fid}::bigint))
      order by tier, weight desc, fid
      limit ${literal(db, limit)}
    )`
}
