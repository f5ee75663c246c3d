import type { Fragment } from '#postgres'
import type { Database, Queryable } from '../../platform/db/connection.js'
import { literal } from '../../platform/db/literal.js'
import { runInBatches } from '../../platform/db/run-in-batches.js'
import { authorFilter, type Viewer } from './visibility-filter.js'

/** All casts of an author with fewer are ranked for each request. */
const MAX_RANKED_CASTS = 1_000
/** Casts of an author with more that are kept when all are ranked, far more than a page. */
const MAX_KEPT_CASTS = 250
/** The age of a ranking of all casts at which it is made again. */
const MAX_RANKING_AGE = '6 hours'

interface PopularRow {
  readonly hash: string
  /** Whether all casts of the author were ranked now or lately. */
  readonly isRanked: boolean
}

/**
 * Reads an author's casts with the most reactions and replies, best first, the latest first among equals.
 *
 * Exact for authors of up to 1,000 casts. Of an author with more, the latest 1,000 are ranked together with the 250
 * best of all, which a request selects every six hours: 185 ms of PostgreSQL for 90,000 casts, 7 ms for the requests in
 * between. An index in the order of the counts would be written with every reaction, in place of updates that touch no
 * index.
 */
export async function readPopularCasts(
  db: Database,
  fid: number,
  page: { readonly count: number } & Viewer,
): Promise<string[]> {
  let rows = await readRanked(db, fid, page)
  if (rows.some(({ isRanked }) => !isRanked)) {
    await rankAllCasts(db, fid)
    rows = await readRanked(db, fid, page)
  }
  return rows.map(({ hash }) => hash)
}

async function readRanked(
  db: Database,
  fid: number,
  { count, ...viewer }: { readonly count: number } & Viewer,
): Promise<PopularRow[]> {
  return await db<PopularRow[]>`
    with latest as materialized (
      select c.hash, c.ts
      from social.casts c
      where c.fid = ${fid}::bigint and ${authorFilter(db, viewer, db`${fid}::bigint`)}
      order by c.ts desc, c.hash desc
      limit ${literal(db, MAX_RANKED_CASTS)}
    ),
    candidates as (
      select hash, ts from latest
      union
      select p.hash, c.ts
      from search.popular_casts p
      -- A join would be planned for an author of average size, and read all casts of this one.
      cross join lateral (select ts from social.casts where hash = p.hash limit 1) c
      where p.fid = ${fid}::bigint and (select count(*) from latest) = ${literal(db, MAX_RANKED_CASTS)}
    )
    select encode(c.hash, 'hex') as hash,
      (select count(*) from latest) < ${literal(db, MAX_RANKED_CASTS)} or exists (
        select from search.popular_cast_runs
        where fid = ${fid}::bigint and ranked_at > now() - ${MAX_RANKING_AGE}::text::interval
      ) as "isRanked"
    from candidates c
    left join social.cast_counts n on n.hash = c.hash and n.fid = ${fid}::bigint
    order by ${popularity(db)} desc, c.ts desc, c.hash desc
    limit ${count}
  `
}

/** Keeps the best of all casts of an author. Concurrent requests wait for one of them. */
async function rankAllCasts(db: Database, fid: number): Promise<void> {
  await db.begin(async (transaction) => {
    await transaction`
      insert into search.popular_cast_runs (fid, ranked_at) values (${fid}, '-infinity') on conflict do nothing`
    const [run] = await transaction<{ isRanked: boolean }[]>`
      select ranked_at > now() - ${MAX_RANKING_AGE}::text::interval as "isRanked"
      from search.popular_cast_runs where fid = ${fid} for update`
    if (run?.isRanked) return
    await transaction`
      with best as materialized (
        select c.hash
        from social.casts c
        left join social.cast_counts n on n.hash = c.hash and n.fid = c.fid
        where c.fid = ${fid}::bigint
        order by ${popularity(transaction)} desc, c.ts desc, c.hash desc
        limit ${MAX_KEPT_CASTS}
      ),
      removed as (
        delete from search.popular_casts p
        where p.fid = ${fid}::bigint and not exists (select from best b where b.hash = p.hash)
      )
      insert into search.popular_casts (fid, hash)
      select ${fid}::bigint, hash from best
      on conflict do nothing
    `
    await transaction`update search.popular_cast_runs set ranked_at = now() where fid = ${fid}`
  })
}

/** Rankings deleted per statement, each with up to 250 casts. */
const DELETION_BATCH = 50

/** Deletes rankings that are far out of date, with their casts: the next request for the author makes a new one. */
export async function deleteOldRankings(db: Database): Promise<void> {
  await runInBatches(
    DELETION_BATCH,
    () => db`
      with old as materialized (
        select fid
        from search.popular_cast_runs
        where ranked_at < now() - interval '1 day'
        order by ranked_at
        limit ${DELETION_BATCH}
        for update skip locked
      ),
      casts as (
        delete from search.popular_casts p where p.fid in (select fid from old)
      )
      delete from search.popular_cast_runs r where r.fid in (select fid from old)`,
  )
}

function popularity(db: Queryable): Fragment {
  return db`coalesce(n.likes + n.recasts + n.replies, 0)`
}
