import type { Database, Transaction } from '../../platform/db/connection.js'
import { DAY_MS, HOUR_MS, isRecent } from '../../platform/durations.js'
import { popularityOf } from '../query/user-popularity.js'
import { MIN_NAMES_PER_PREFIX, nameKind } from '../query/users-search.js'

/** Users in the list of a prefix. */
const TOP_USERS_PER_PREFIX = 50
/** Longer prefixes have no lists. */
const MAX_PREFIX_LENGTH = 24

/**
 * Similarity search reads all users of a network up to this size, and only the most popular of a larger one.
 */
const MAX_POPULAR_USERS = 30_000

/** The maximum age of the lists of a large network. */
const MAX_AGE_MS = HOUR_MS
/** Growth since the last refresh (one in ten) that triggers a refresh before that age. */
const REFRESH_GROWTH_FACTOR = 1.1

/** The age at which the record of a run is deleted. */
const RUN_RETENTION_MS = DAY_MS

const POLL_MS = 5 * 60 * 1000
const LOCK = 'plaza search lists'

/**
 * A scheduled job that refreshes the lists of the schema `search`. A lock in the database lets one process do
 * it.
 */
export function createSearchJob(options: {
  readonly db: Database
  /** Unix milliseconds. */
  readonly clock: () => number
}) {
  return { name: 'search lists', everyMs: POLL_MS, run: () => refreshListsIfDue(options.db, options.clock()) }
}

async function refreshListsIfDue(db: Database, now: number): Promise<void> {
  const [state] = await db<{ users: number; lastUsers: number; finishedAt: number }[]>`
    select
      (select count(*) from social.users) as users,
      coalesce((select users from search.runs order by id desc limit 1), 0) as "lastUsers",
      coalesce((select finished_at from search.runs order by id desc limit 1), 0) as "finishedAt"
  `
  const { users, lastUsers, finishedAt } = state!
  if (users <= MIN_NAMES_PER_PREFIX) return
  if (isRecent(finishedAt, now, MAX_AGE_MS) && users < lastUsers * REFRESH_GROWTH_FACTOR) return
  await refreshSearchLists(db, now)
}

/**
 * Refreshes the lists: the top users of every prefix of more than `MIN_NAMES_PER_PREFIX` names, and the most
 * popular users. Writes only what changed.
 *
 * @param now Unix milliseconds.
 */
export async function refreshSearchLists(db: Database, now: number): Promise<void> {
  await db.begin(async (transaction) => {
    const [row] = await transaction<{ locked: boolean }[]>`
      select pg_try_advisory_xact_lock(hashtext(${LOCK})) as locked`
    if (!row?.locked) return
    await transaction`set local statement_timeout = 0`
    await transaction`set local work_mem = '64MB'`
    await transaction`
      create temporary table new_top_users (kind smallint, prefix text, fid bigint) on commit drop`
    await selectTopUsers(transaction, nameKind.username)
    await selectTopUsers(transaction, nameKind.displayName)
    await storeTopUsers(transaction)
    await storePopularUsers(transaction)
    await transaction`
      insert into search.runs (finished_at, users) select ${now}, count(*) from social.users`
    await transaction`delete from search.runs where finished_at < ${now - RUN_RETENTION_MS}::bigint`
  })
}

/** Goes from short prefixes to long ones: a long prefix is common only if its start is. */
async function selectTopUsers(db: Transaction, kind: number): Promise<void> {
  await db`
    create temporary table searched_names on commit drop as
    select u.fid, ${kind === nameKind.username ? db`u.username` : db`lower(u.display_name)`} as name,
      (${popularityOf(db)})::real as popularity
    from social.users u
    left join social.user_counts c on c.fid = u.fid
    where ${kind === nameKind.username ? db`u.username` : db`u.display_name`} is not null
  `
  for (let length = 1; length <= MAX_PREFIX_LENGTH; length += 1) {
    const [found] = await db<{ listed: number }[]>`
      with common as (
        select left(name, ${length}) as prefix from searched_names
        where length(name) >= ${length}
        group by 1
        having count(*) > ${MIN_NAMES_PER_PREFIX}
      ), listed as (
        insert into new_top_users
        select ${kind}::smallint, prefix, fid
        from (
          select c.prefix, n.fid, row_number() over (partition by c.prefix order by popularity desc, fid) as rank
          from searched_names n
          join common c on c.prefix = left(n.name, ${length})
        ) ranked
        where rank <= ${TOP_USERS_PER_PREFIX}
      ), rest as (
        delete from searched_names n
        where not exists (select 1 from common c where c.prefix = left(n.name, ${length}))
      )
      select count(*) as listed from common
    `
    if (found?.listed === 0) break
  }
  await db`drop table searched_names`
}

async function storeTopUsers(db: Transaction): Promise<void> {
  await db`create unique index on new_top_users (kind, prefix, fid)`
  await db`analyze new_top_users`
  await db`
    delete from search.top_users_by_prefix l
    where not exists (
      select 1 from new_top_users f where f.kind = l.kind and f.prefix = l.prefix and f.fid = l.fid
    )
  `
  await db`insert into search.top_users_by_prefix select * from new_top_users on conflict do nothing`
}

async function storePopularUsers(db: Transaction): Promise<void> {
  await db`
    create temporary table new_popular_users on commit drop as
    select u.fid, u.username, lower(u.display_name) as display_name
    from social.users u
    left join social.user_counts c on c.fid = u.fid
    where (select count(*) from social.users) > ${MAX_POPULAR_USERS}
    order by ${popularityOf(db)} desc, u.fid
    limit ${MAX_POPULAR_USERS}
  `
  await db`delete from search.popular_users k where not exists (select 1 from new_popular_users f where f.fid = k.fid)`
  await db`
    insert into search.popular_users as k
    select * from new_popular_users f
    -- A conflict locks the row and writes to the log, also where nothing is updated.
    where not exists (
      select from search.popular_users s
      where s.fid = f.fid and (s.username, s.display_name) is not distinct from (f.username, f.display_name)
    )
    on conflict (fid) do update
    set username = excluded.username, display_name = excluded.display_name
    where (k.username, k.display_name) is distinct from (excluded.username, excluded.display_name)
  `
}
