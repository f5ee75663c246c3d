/**
 * Two users whose newest notifications look alike, as rows of the read model: one has a million behind them, one
 * a hundred. Written by SQL; everything is a function of its number.
 */

/** Farcaster seconds: the newest notification. */
export const lastTs = 185_000_000
/** The one with many notifications, and the one with few. */
export const busy = 1
export const quiet = 2

/** Users whom nobody is told of, before the crowd. */
const FIRST_OF_CROWD = 10
/** Of one second and the next notification, of either user. */
const MENTION_SECONDS = 10
const LIKED_SECONDS = 30
const LIKES_PER_CAST = 20

/** @param {string} name A text, as SQL. */
const hash = (name) => `decode(md5(${name}) || left(md5('x' || ${name}), 8), 'hex')`

/**
 * @param {import('pg').Client} db
 * @param {{ notifications: number, crowd: number }} size
 */
export async function fillInbox(db, { notifications, crowd }) {
  await db.query('set synchronous_commit = off')
  await db.query("set work_mem = '256MB'")
  await insertUsers(db, crowd)
  const ownOfBusy = Math.round(notifications / 200)
  await insertOwnCasts(db, busy, ownOfBusy)
  await insertOwnCasts(db, quiet, 20)
  await insertMentions(db, busy, notifications - ownOfBusy - 1, ownOfBusy, crowd)
  await insertMentions(db, quiet, 79, 20, crowd)
  await insertLikes(db, busy, ownOfBusy, crowd)
  await insertLikes(db, quiet, 20, crowd)
  await insertStorm(db, crowd)
  await insertFollowers(db, busy, crowd)
  await insertFollowers(db, quiet, 50)
  await countAll(db)
  const { rows } = await db.query("select tablename from pg_tables where schemaname = 'social'")
  for (const { tablename } of rows) await db.query(`vacuum (analyze) social.${tablename}`)
}

/** @param {import('pg').Client} db @param {number} crowd */
async function insertUsers(db, crowd) {
  await db.query(`
    insert into social.users (fid, custody_address, registered_at, username, display_name, pfp_url, bio, score)
    select i, decode(left(md5(i::text) || md5('a' || i), 40), 'hex'), 1700000000 + i, 'user' || i,
      'Number ' || i, 'https://example.com/' || i || '.png', 'I am number ' || i, 0.9
    from generate_series(1, ${crowd + FIRST_OF_CROWD}) i
  `)
}

/** A third of them in one of 50 channels. @param {import('pg').Client} db @param {number} fid @param {number} count */
async function insertOwnCasts(db, fid, count) {
  await db.query(`
    insert into social.casts (
      hash, fid, ts, text, parent_url, thread_hash, root_parent_url, embeds, mentions, mention_positions, signer
    )
    select ${hash(`'own ${fid} ' || j`)}, ${fid}, ${lastTs} - 10000000 + j, 'my cast ' || j, url,
      ${hash(`'own ${fid} ' || j`)}, url, '[]', '{}', '{}', ''
    from generate_series(1, ${count}) j
    cross join lateral (select case when j % 3 = 0 then 'https://example.com/c/' || j % 50 end as url) u
  `)
}

/**
 * Every fourth answers a cast of the user's instead.
 *
 * @param {import('pg').Client} db @param {number} fid @param {number} count @param {number} own @param {number} crowd
 */
async function insertMentions(db, fid, count, own, crowd) {
  await db.query(`
    insert into social.casts (
      hash, fid, ts, text, parent_fid, parent_hash, thread_hash, root_parent_url, embeds, mentions,
      mention_positions, signer
    )
    select ${hash(`'at ${fid} ' || i`)}, ${FIRST_OF_CROWD} + i % ${crowd}, ${lastTs} - i * ${MENTION_SECONDS},
      ' have you seen number ' || i, case when is_reply then ${fid} end, parent,
      coalesce(parent, ${hash(`'at ${fid} ' || i`)}),
      case when is_reply and j % 3 = 0 then 'https://example.com/c/' || j % 50 end, '[]',
      case when is_reply then '{}'::bigint[] else array[${fid}] end,
      case when is_reply then '{}'::integer[] else array[0] end, ''
    from generate_series(1, ${count}) i
    cross join lateral (select i % 4 = 0 as is_reply, 1 + i % ${own} as j) r
    cross join lateral (select case when is_reply then ${hash(`'own ${fid} ' || j`)} end as parent) p
  `)
}

/** @param {import('pg').Client} db @param {number} fid @param {number} own @param {number} crowd */
async function insertLikes(db, fid, own, crowd) {
  await db.query(`
    insert into social.reactions (fid, type, target_hash, target_fid, ts, signer)
    select ${FIRST_OF_CROWD} + (j * 31 + k) % ${crowd}, case when k % 10 = 0 then 2 else 1 end,
      ${hash(`'own ${fid} ' || j`)}, ${fid}, ${lastTs} - j * ${LIKED_SECONDS} - k, ''
    from generate_series(1, ${own}) j, generate_series(1, ${LIKES_PER_CAST}) k
    on conflict do nothing
  `)
}

/** The whole crowd likes one cast. @param {import('pg').Client} db @param {number} crowd */
async function insertStorm(db, crowd) {
  await db.query(`
    insert into social.reactions (fid, type, target_hash, target_fid, ts, signer)
    select ${FIRST_OF_CROWD} + i, 1, ${hash(`'own ${busy} 1'`)}, ${busy}, ${lastTs} - 100 - i, ''
    from generate_series(0, ${crowd - 1}) i
    on conflict do nothing
  `)
}

/** @param {import('pg').Client} db @param {number} fid @param {number} count */
async function insertFollowers(db, fid, count) {
  await db.query(`
    insert into social.follows (fid, target_fid, ts, signer)
    select ${FIRST_OF_CROWD} + i, ${fid}, ${lastTs} - 5 - i, '' from generate_series(0, ${count - 1}) i
  `)
}

/** @param {import('pg').Client} db */
async function countAll(db) {
  await db.query(`
    insert into social.user_counts (fid, follower_count, following_count)
    select target_fid, count(*), 0 from social.follows group by 1
  `)
  await db.query(`
    insert into social.cast_counts (hash, fid, likes, recasts)
    select target_hash, target_fid, count(*) filter (where type = 1), count(*) filter (where type = 2)
    from social.reactions
    group by 1, 2
  `)
  await db.query(`
    insert into channels.channels (id, url, parent_url, name, lead_fid, created_at)
    select 'c' || i, 'https://example.com/c/' || i, 'https://example.com/c/' || i, 'Channel ' || i, 1, 1700000000
    from generate_series(0, 49) i
  `)
  await db.query('insert into channels.urls (url, channel_id) select parent_url, id from channels.channels')
}
