import type { Fragment } from 'postgres'
import type { Database } from '../../platform/db/connection.js'
import { MIN_NAMES_PER_PREFIX, nameKind } from '../project/search-prefix-lists.js'
import { popularityOf } from '../project/user-popularity.js'

/** A user that was found, and where it stands in the order. */
export interface FoundUser {
  readonly fid: number
  /**
   * 0 for the exact username, 1 and 2 for usernames that begin with what was asked for, 3 and 4 for display names
   * that do, 5 and 6 for likeness. Of the two, the smaller is for those whom the viewer follows.
   */
  readonly place: number
  /** Within a place, larger is earlier. */
  readonly weight: number
}

/** What is searched for, and by whom. */
export interface UserSearch {
  /** In small letters. */
  readonly text: string
  readonly viewerFid: number | undefined
  readonly hidden: readonly number[]
  readonly limit: number
}

/** The key of the page before. */
export type UserSearchCursor = readonly [place: number, weight: number, fid: number]

/** Behind every text that begins with another one: the last character there is. */
const LAST_CHARACTER = '\u{10FFFF}'

/** Of whoever follows more, the latest follows are looked through for a common prefix. */
const MAX_FOLLOWS = 1_000

/**
 * Users whose username or display name begins with the text. Of a prefix that few names have, all are read and put
 * in order; of a common one the leaders are, whom a chore lists (`search-lists.ts`), and whom the viewer follows.
 */
export async function searchByPrefix(
  db: Database,
  { text, viewerFid = 0, hidden, limit }: UserSearch,
  [place, weight, fid]: UserSearchCursor,
): Promise<FoundUser[]> {
  const isNamed = db`(u.username ~>=~ ${text} and u.username ~<=~ ${text + LAST_CHARACTER})`
  const isShown = db`(lower(u.display_name) ~>=~ ${text} and lower(u.display_name) ~<=~ ${text + LAST_CHARACTER})`
  return await db<FoundUser[]>`
    with leaders as materialized (
      select kind, fid from search.top_users_by_prefix where prefix = ${text}
    ), candidates as (
      select fid from social.users where username = ${text}
      union
      select fid from leaders
      union (
        select fid from social.users u
        where ${isNamed} and not exists (select 1 from leaders where kind = ${nameKind.username})
        order by username using ~<~
        limit ${MIN_NAMES_PER_PREFIX}
      )
      union (
        select fid from social.users u
        where ${isShown} and not exists (select 1 from leaders where kind = ${nameKind.displayName})
        order by lower(display_name) using ~<~
        limit ${MIN_NAMES_PER_PREFIX}
      )
      union
      select u.fid
      from (
        select target_fid from social.follows
        where fid = ${viewerFid} and exists (select 1 from leaders)
        order by ts desc, target_fid desc
        limit ${MAX_FOLLOWS}
      ) f
      join social.users u on u.fid = f.target_fid
      where ${isNamed} or ${isShown}
    ), placed as (
      select u.fid, ${popularityOf(db)} as weight,
        case
          when u.username = ${text} then 0
          when ${isNamed} then 2 - follows.one
          when ${isShown} then 4 - follows.one
        end as place
      from candidates
      join social.users u using (fid)
      left join social.user_counts c using (fid)
      cross join lateral (
        select case when ${viewerFid} <> 0 and exists (
          select 1 from social.follows f where f.fid = ${viewerFid} and f.target_fid = u.fid
        ) then 1 else 0 end as one
      ) follows
      where u.fid <> all (${[...hidden]}::bigint[])
    )
    select fid, place, weight
    from placed
    where place > ${place} or (place = ${place} and (weight, -fid) < (${weight}::float8, ${-fid}::bigint))
    order by place, weight desc, fid
    limit ${limit}
  `
}

/** Names are alike from here on: half of the three-letter pieces of both are the same. */
const MIN_SIMILARITY = 0.45
/** Words of a display name are alike from here on: of a text of three letters, a word may go on. */
const MIN_WORD_SIMILARITY = 0.7
/** At least so many letters, and at most: short texts are like everything, long ones like nothing. */
const SIMILARITY_LENGTH_RANGE = { least: 3, most: 40 }
/** So many of the most alike are put in order. */
const MAX_SIMILAR = 50

/** Whether there is any sense in looking for names that are like the text. */
export function supportsSimilarity(text: string): boolean {
  const { length } = [...text]
  return length >= SIMILARITY_LENGTH_RANGE.least && length <= SIMILARITY_LENGTH_RANGE.most
}

/**
 * Users with a username or display name like the text that does not begin with it, or with a word in the display name
 * that is like it; the most alike first, in steps of a tenth, and the better known first within a step. A large network
 * is looked through among its best known.
 */
export async function searchBySimilarity(
  db: Database,
  { text, viewerFid = 0, hidden, limit }: UserSearch,
  [place, weight, fid]: UserSearchCursor,
): Promise<FoundUser[]> {
  // The operators find by settings; as they are set inside the statement, they last as long as the statement.
  const similarityTo = (username: Fragment, displayNameColumn: Fragment) => db`greatest(
    coalesce(similarity(${username}, ${text}), 0), coalesce(similarity(${displayNameColumn}, ${text}), 0),
    coalesce(word_similarity(${text}, ${displayNameColumn}), 0)
  )`
  const isSimilar = (username: Fragment, displayNameColumn: Fragment) =>
    db`(${username} % ${text} or ${displayNameColumn} % ${text} or ${displayNameColumn} %> ${text})`
  const known = [db`k.username`, db`k.display_name`] as const
  const all = [db`u.username`, db`lower(u.display_name)`] as const
  return await db<FoundUser[]>`
    with set as materialized (
      select set_config('pg_trgm.similarity_threshold', ${String(MIN_SIMILARITY)}, true) is not null
          and set_config('pg_trgm.word_similarity_threshold', ${String(MIN_WORD_SIMILARITY)}, true) is not null as done,
        exists (select 1 from search.popular_users) as is_large
    ), alike as (
      select found.fid
      from set
      cross join lateral (
        select k.fid, ${similarityTo(...known)} as likeness
        from search.popular_users k
        where set.done and set.is_large and ${isSimilar(...known)}
        union all
        select u.fid, ${similarityTo(...all)}
        from social.users u
        where set.done and not set.is_large and ${isSimilar(...all)}
      ) found
      order by found.likeness desc, found.fid
      limit ${MAX_SIMILAR}
    ), placed as (
      select u.fid,
        1000 * floor(10 * ${similarityTo(...all)}) + ${popularityOf(db)} as weight,
        case when ${viewerFid} <> 0 and exists (
          select 1 from social.follows f where f.fid = ${viewerFid} and f.target_fid = u.fid
        ) then 5 else 6 end as place
      from alike
      join social.users u using (fid)
      left join social.user_counts c using (fid)
      where not coalesce(starts_with(u.username, ${text}), false)
        and not coalesce(starts_with(lower(u.display_name), ${text}), false)
        and u.fid <> all (${[...hidden]}::bigint[])
    )
    select fid, place, weight
    from placed
    where place > ${place} or (place = ${place} and (weight, -fid) < (${weight}::float8, ${-fid}::bigint))
    order by place, weight desc, fid
    limit ${limit}
  `
}
