import { castTextSql } from './cast-texts.mjs'

/**
 * A network as rows of the read model: 10,000 users, 500,000 casts, 2,500,000 reactions and 1,000,000 follows at scale
 * 1. Written by SQL, because signing and merging four million messages is what bench:ingest measures. Who is
 * followed, who follows, and what is liked follows power laws; everything is a function of its number, so that every run
 * reads the same.
 */

const FARCASTER_EPOCH_SECONDS = 1_609_459_200
const SECONDS_BETWEEN_CASTS = 2
export const channels = 50

/** The hash of cast `i`, as SQL. @param {string} i */
const hash = (i) => `decode(md5((${i})::text) || left(md5('x' || (${i})::text), 8), 'hex')`
/** The channel of root cast `j`, as SQL. @param {string} j */
const channel = (j) =>
  `case when (${j}) % 3 = 0 then 'https://example.com/c/' || ((${j}) / 3 % ${channels}) end`

/**
 * @typedef {object} Sizes
 * @property {number} users
 * @property {number} casts
 * @property {number} reactions
 * @property {number} follows
 */

/**
 * The user who looks and follows as the `rank`-th most: another one than who casts as the `rank`-th most, who is `rank`.
 * Users 1 and 2 follow as many as the narrow reads need.
 *
 * @param {number} rank From 0 on.
 * @param {number} users
 */
export const viewerOf = (rank, users) => 3 + ((rank * 7919) % (users - 3))

/** Now, in Farcaster seconds. */
export const nowTs = () => Math.floor(Date.now() / 1000) - FARCASTER_EPOCH_SECONDS

/**
 * Fills an empty read model.
 *
 * @param {import('pg').Client} db
 * @param {{ scale: number, lastTs: number }} options `lastTs`: the network's last cast, in Farcaster seconds.
 * @returns {Promise<Sizes>}
 */
export async function fillReadModel(db, { scale, lastTs }) {
  const users = Math.round(10_000 * scale)
  const casts = Math.round(500_000 * scale)
  const reactions = Math.round(2_500_000 * scale)
  const follows = Math.round(1_000_000 * scale)
  await db.query('set synchronous_commit = off')
  await db.query("set work_mem = '256MB'")
  await db.query("set maintenance_work_mem = '512MB'")
  await db.query('select setseed(0.5)')
  await insertUsers(db, users)
  await beforeIndexes(db, 'social.follows', () => insertFollows(db, { users, follows, lastTs }))
  await beforeIndexes(db, 'social.casts', () => insertCasts(db, { users, casts, lastTs }))
  await beforeIndexes(db, 'social.reactions', () => insertReactions(db, { users, casts, reactions, lastTs }))
  await countAll(db)
  await insertChannels(db)
  await insertMiniApps(db, users)
  for (const schema of ['social', 'channels', 'miniapps']) {
    const { rows } = await db.query('select tablename from pg_tables where schemaname = $1', [schema])
    for (const { tablename } of rows) await db.query(`vacuum (analyze) ${schema}.${tablename}`)
  }
  return { users, casts, reactions, follows }
}

/** @param {import('pg').Client} db @param {number} users */
async function insertUsers(db, users) {
  await db.query(`
    insert into social.users (fid, custody_address, registered_at, username, display_name, pfp_url, bio, score)
    select i, decode(left(md5(i::text) || md5('a' || i), 40), 'hex'), 1700000000 + i,
      left(translate(md5(i::text), '0123456789', 'ghijklmnop'), 3 + i % 10) || i,
      initcap(left(md5('n' || i), 6)) || ' ' || i || case when i % 5 = 0 then ' 🌱' else '' end, 'https://example.com/' || i || '.png',
      'I am number ' || i || case when i % 4 = 0 then ' and build with @' || left(translate(md5('7'), '0123456789', 'ghijklmnop'), 10) || '7' else '' end,
      0.5 + 0.5 * random()
    from generate_series(1, ${users}) i
  `)
}

/**
 * Fills a table that has its indexes only afterwards: with them, a third of 31 million reactions took 25 minutes.
 *
 * @param {import('pg').Client} db
 * @param {string} table
 * @param {() => Promise<void>} fill
 */
async function beforeIndexes(db, table, fill) {
  const { rows: constraints } = await db.query(
    `select quote_ident(conname) as name, pg_get_constraintdef(oid) as definition
    from pg_constraint where conrelid = $1::regclass and contype in ('p', 'u')`,
    [table],
  )
  const { rows: indexes } = await db.query(
    `select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition
    from pg_index
    where indrelid = $1::regclass and not exists (select from pg_constraint where conindid = indexrelid)`,
    [table],
  )
  for (const { name } of constraints) await db.query(`alter table ${table} drop constraint ${name}`)
  for (const { name } of indexes) await db.query(`drop index ${name}`)
  await fill()
  for (const { name, definition } of constraints) {
    await db.query(`alter table ${table} add constraint ${name} ${definition}`)
  }
  for (const { definition } of indexes) await db.query(definition)
}

/** User 1 follows 2,000, user 2 follows 30. @param {import('pg').Client} db @param {Pick<Sizes, 'users' | 'follows'> & { lastTs: number }} sizes */
async function insertFollows(db, { users, follows, lastTs }) {
  await db.query(`
    insert into social.follows (fid, target_fid, ts, signer)
    select distinct on (fid, target_fid) fid, target_fid, ts, ''
    from (
      select 1 as fid, 2 + i * ${users - 2} / ${Math.min(2000, users - 2)} as target_fid, ${lastTs} - i as ts
      from generate_series(0, ${Math.min(1999, users - 3)}) i
      union all
      select 2, 3 + i * ${Math.floor((users - 3) / 31)}, ${lastTs} - i from generate_series(0, 29) i
      union all
      select 3 + floor(${users - 3} * power(random(), 2))::bigint * 7919 % ${users - 3}, 1 + floor(${users} * power(random(), 2))::bigint,
        ${lastTs} - floor(random() * 2500000)::bigint
      from generate_series(1, ${follows})
    ) edges
    where fid <> target_fid
  `)
}

/** Every fifth cast answers one before it; the last 200 answer one. @param {import('pg').Client} db @param {Pick<Sizes, 'users' | 'casts'> & { lastTs: number }} sizes */
async function insertCasts(db, { users, casts, lastTs }) {
  const parent = `case when i > ${casts} - 200 then ${casts} - 1000 - (${casts} - 1000) % 5 + 1
    when i % 5 = 0 and i > 5000 then (i - (i * 7919 % 4000)) / 5 * 5 - 4 end`
  await db.query(`
    insert into social.casts (
      hash, fid, ts, text, parent_fid, parent_hash, parent_url, thread_hash, root_parent_url,
      embeds, mentions, mention_positions, signer
    )
    select ${hash('i')}, fid, ${lastTs} - (${casts} - i) * ${SECONDS_BETWEEN_CASTS},
      'cast number ' || i || ' about gardens and boats ' || ${castTextSql('i')},
      case when p is not null then 1 + floor(${users} * power((p * 7919 % 104729) / 104729.0, 2))::bigint end,
      case when p is not null then ${hash('p')} end,
      case when p is null then ${channel('i')} end,
      ${hash('coalesce(p, i)')}, ${channel('coalesce(p, i)')},
      case when i % 11 = 0 then '[{"url":"https://example.com/page"}]'::jsonb else '[]' end,
      case when i % 13 = 0 then array[1 + i % ${users}] else '{}'::bigint[] end,
      case when i % 13 = 0 then array[4] else '{}'::integer[] end, ''
    from (
      select i, ${parent} as p, 1 + floor(${users} * power((i * 7919 % 104729) / 104729.0, 2))::bigint as fid
      from generate_series(1::bigint, ${casts}::bigint) i
    ) c
  `)
}

/**
 * Every tenth is to one of a thousand casts, every third to one of fifty.
 *
 * @param {import('pg').Client} db
 * @param {Pick<Sizes, 'users' | 'casts' | 'reactions'> & { lastTs: number }} sizes
 */
async function insertReactions(db, { users, casts, reactions, lastTs }) {
  const age = `(${casts} - j) * ${SECONDS_BETWEEN_CASTS}`
  const author = `1 + floor(${users} * power((j * 7919 % 104729) / 104729.0, 2))::bigint`
  await db.query(`
    insert into social.reactions (fid, type, target_hash, target_fid, ts, signer)
    select distinct on (fid, type, j)
      fid, type, ${hash('j')}, ${author}, ${lastTs} - ${age} + floor(random() * least(80000, ${age}))::bigint, ''
    from (
      select fid, type, case when popular < 0.1 then n - n % 1000 when popular < 0.43 then n - n % 50 else n end as j
      from (
        select 3 + floor(${users - 3} * power(random(), 2))::bigint * 7919 % ${users - 3} as fid,
          case when random() < 0.85 then 1 else 2 end as type, random() as popular,
          ${casts} - floor(${casts} * power(random(), 1.5))::bigint as n
        from generate_series(1, ${reactions})
      ) drawn
    ) r
    where j > 0
  `)
}

/** @param {import('pg').Client} db */
async function countAll(db) {
  await db.query(`
    insert into social.user_counts (fid, follower_count, following_count)
    select fid, coalesce(followers, 0), coalesce(following, 0)
    from (select target_fid as fid, count(*) as followers from social.follows group by 1) a
    full join (select fid, count(*) as following from social.follows group by 1) b using (fid)
  `)
  await db.query(`
    insert into social.cast_counts (hash, fid, likes, recasts, replies)
    select hash, fid, sum(likes), sum(recasts), sum(replies)
    from (
      select target_hash as hash, target_fid as fid, count(*) filter (where type = 1) as likes,
        count(*) filter (where type = 2) as recasts, 0 as replies
      from social.reactions group by 1, 2
      union all
      select parent_hash, parent_fid, 0, 0, count(*) from social.casts where parent_hash is not null group by 1, 2
    ) counted
    group by 1, 2
  `)
}

/** @param {import('pg').Client} db */
async function insertChannels(db) {
  await db.query(`
    insert into channels.channels (id, url, parent_url, name, lead_fid, created_at, follower_count)
    select 'c' || i, 'https://example.com/c/' || i, 'https://example.com/c/' || i, 'Channel ' || i, i + 1, 1700000000, i
    from generate_series(0, ${channels - 1}) i
  `)
  await db.query('insert into channels.urls (url, channel_id) select parent_url, id from channels.channels')
}

/** 5,000 listed mini apps. @param {import('pg').Client} db @param {number} users */
async function insertMiniApps(db, users) {
  await db.query(`
    insert into miniapps.manifests (
      domain, next_read_at, read_at, author_fid, manifest, home_url, category, words, listed
    )
    select 'app' || i || '.example.com', now() + interval '1 year', now(), 1 + i % ${users},
      jsonb_build_object(
        'account_association', jsonb_build_object('header', '', 'payload', '', 'signature', ''),
        'miniapp', jsonb_build_object('version', '1', 'name', 'Garden number ' || i,
          'icon_url', 'https://app' || i || '.example.com/icon.png', 'home_url', 'https://app' || i || '.example.com')
      ),
      'https://app' || i || '.example.com', 'games', to_tsvector('simple', 'Garden number ' || i), true
    from generate_series(1, 5000) i
  `)
}
