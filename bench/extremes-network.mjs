/** A network whose parts are as large as a page may meet them, written by SQL. */

/** Farcaster seconds: the network's last cast. */
const LAST_TS = 185_000_000
const AUTHOR = 7
const BLOCKER = 140_000
const CITY = { latitude: 40.71, longitude: -74.01 }

/**
 * Fills the read model, if it is empty: 120,000 users in a city, half of them at one point; casts of 180 days, a fifth
 * of them by one author; 2,000 channels with casts in most hours of two months.
 *
 * @param {import('../dist/platform/db/connection.js').Database} db
 * @param {number} casts
 */
export async function fillExtremes(db, casts) {
  if ((await db`select from social.users limit 1`).length > 0) return
  await db
    .unsafe(`
    set synchronous_commit = off;
    set work_mem = '256MB';
    select setseed(0.5);
    insert into social.users (fid, custody_address, registered_at, username, location)
    select n, decode(lpad(to_hex(n), 40, '0'), 'hex'), n, 'user' || n,
      case
        when n <= 60000 then 'geo:40.71,-74.01'
        when n <= 120000 then 'geo:' || to_char(40.71 + (random() + random() - 1) * 0.8, 'FM90.00') || ','
          || to_char(-74.01 + (random() + random() - 1) * 0.8, 'FM990.00')
      end
    from generate_series(1, 150000) n;
    insert into social.blocks (fid, target_fid, ts) select ${BLOCKER}, 1 + n * 37, n from generate_series(0, 2999) n;
    insert into channels.channels (id, url, parent_url, name, lead_fid, created_at)
    select 'c' || c, 'https://example.org/' || c, 'https://example.com/c/' || c, 'c' || c, 1, c
    from generate_series(0, 1999) c;
    insert into channels.urls select parent_url, id from channels.channels;
    insert into social.casts (
      hash, fid, ts, text, parent_url, thread_hash, root_parent_url, embeds, mentions, mention_positions, signer
    )
    select hash, fid, ${LAST_TS} - (${casts} - i) * ${Math.floor(15_552_000 / casts)}, text, url, hash, url, '[]', '{}', '{}', ''
    from (
      select i, decode(md5(i::text) || left(md5('x' || i), 8), 'hex') as hash,
        case when i % 9 < 2 then ${AUTHOR} else 1 + (i * 7919 % 5000) end as fid,
        'cast ' || i || ' about ' || md5((i % 5000)::text) || ' gardens'
          || case when i * 7919 % 1000 < 5 then ' middling' else '' end
          || case when i * 7927 % 100 < 5 then ' frequent' else '' end
          || case when i * 7927 % 100 < 30 then ' common' else '' end as text,
        case when i % 3 = 0 then 'https://example.com/c/' || (i / 3 % 2000) end as url
      from generate_series(1::bigint, ${casts}) i
    ) c;
    insert into social.cast_counts
    select hash, fid, (0.5 / (random() + 0.0005))::integer, (random() * 3)::integer, (random() * 2)::integer, 0
    from social.casts
    where random() < 0.7;
    insert into social.url_activity
    select 'https://example.com/c/' || c, hour, 1 + (random() * 5)::integer
    from generate_series(0, 1999) c, generate_series(${LAST_TS} / 3600 - 1440, ${LAST_TS} / 3600) hour
    where random() < 0.6;
  `)
    .simple()
  await db.unsafe('vacuum analyze')
}

/**
 * The reads at the extremes, as a checkout does them.
 *
 * @param {import('../dist/platform/db/connection.js').Database} db
 * @param {string} directory Of a built checkout.
 * @returns {Promise<Record<string, () => Promise<unknown>>>}
 */
export async function createExtremes(db, directory) {
  const load = (/** @type {string} */ path) => import(`${directory}/dist/${path}`)
  const { readNearbyUsers } = await load('graph/query/users-nearby.js').catch(() =>
    load('graph/query/users.js'),
  )
  const { loadHiddenFids } = await load('graph/query/visibility-filter.js')
  const { readPopularCasts } = await load('graph/query/popular-casts.js').catch(() =>
    load('graph/query/feeds-ranked.js'),
  )
  const { readParentFeed } = await load('graph/query/feeds-by-parent.js')
  const castSearch = await load('graph/query/cast-search.js')
  const { searchCasts } = castSearch
  const { countCastsFound } = await load('graph/query/cast-metrics.js').catch(() => castSearch)
  const { searchTerms } = await load('graph/query/cast-search-terms.js')
  const { trendingChannels } = await load('features/channels/queries.js')
  const { refreshDailyActivity } = await load('features/channels/daily-activity.js').catch(() => ({}))
  await refreshDailyActivity?.(db, LAST_TS)
  const hidden = await loadHiddenFids(db, { viewerFid: BLOCKER })
  const search = (/** @type {string} */ q) => () =>
    searchCasts(db, { terms: searchTerms(q) }, { before: null, count: 26, order: 'desc_chron' })
  const weeks = { ts: LAST_TS - 26 * 604_800, seconds: 604_800, count: 26 }
  const metrics = (/** @type {string} */ q) => () => countCastsFound(db, { terms: searchTerms(q) }, weeks)
  const channels = (/** @type {string} */ window) => () => trendingChannels(db, window, LAST_TS)
  const near = (/** @type {number[]} */ fids) => () =>
    readNearbyUsers(db, { ...CITY, hidden: fids, limit: 26 }, null)
  return {
    'a city': near([]),
    'a city, 3,000 blocks': near(hidden),
    'popular of 90,000 casts': () => readPopularCasts(db, AUTHOR, { count: 10 }),
    'channel feed, 3,000 blocks': () =>
      readParentFeed(
        db,
        { parents: { channelIds: ['c3'] }, replies: false },
        { before: null, count: 26, viewerFid: BLOCKER },
      ),
    'search: in 0.5 %': search('middling'),
    'search: in 5 %': search('frequent'),
    'search: in 30 %': search('common'),
    'metrics: in 0.5 %': metrics('middling'),
    'metrics: in 5 %': metrics('frequent'),
    'metrics: in 30 %': metrics('common'),
    'channels of a day': channels('1d'),
    'channels of 30 days': channels('30d'),
  }
}
