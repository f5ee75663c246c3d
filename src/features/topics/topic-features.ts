import type { Fragment } from '#postgres'
import type { Transaction } from '../../platform/db/connection.js'
import { DAY_SECONDS } from '../../platform/durations.js'
import { nextTurn } from '../../platform/process/turns.js'
import { stopWords } from '../../platform/text/stop-words.js'

/** The casts that topics are computed from. Times are Farcaster seconds. */
export interface TopicPeriod {
  readonly now: number
}

/** Days before the last 24 hours that they are compared with. */
const BACKGROUND_DAYS = 7
/** The newest casts of the last 24 hours. */
const MAX_RECENT_CASTS = 10_000
/** The newest casts of the days before. */
const MAX_BACKGROUND_CASTS = 20_000
/** A feature of fewer authors is no topic. */
const MIN_AUTHORS = 3
/** The smallest growth of a topic: its frequency, as a multiple of that in the days before. */
const MIN_LIFT = 2
/** Less certain increases are chance: a log-likelihood ratio of 15 happens once in 10,000 features. */
const MIN_LIKELIHOOD_RATIO = 15
/** Features of most authors, which are compared with the days before. */
const MAX_CANDIDATES = 5_000
/** The features with the highest scores form topics. */
const MAX_FEATURES = 300

/**
 * A word (`w soil`), a phrase (`p garden soil`), a channel (`c gardens`) or the host of an embed
 * (`h example.com`), in the casts of the last 24 hours.
 */
export interface TopicFeature {
  readonly feature: string
  readonly score: number
  readonly casts: number
}

/** Two features that share at least half of the casts of the rarer one. */
export interface FeaturePair {
  readonly a: string
  readonly b: string
}

/**
 * Selects the features that are more frequent in the last 24 hours than in the week before, best first.
 *
 *     score = sum over authors of (0.2 + score of the author) · ln(authors / expected authors)
 *
 * The share of authors and days before is what is expected: an author counts once a day, so that nobody makes a topic
 * alone. Leaves the
 * temporary tables `topic_casts` and `topic_features` (recent casts, and the features in them) to the transaction.
 */
export async function selectTopicFeatures(
  db: Transaction,
  { now }: TopicPeriod,
): Promise<{ features: TopicFeature[]; pairs: FeaturePair[] }> {
  const recentSince = now - DAY_SECONDS
  const newest = (from: number, to: number, limit: number) => db`
    select row_number() over (order by ts desc, hash desc)::integer as id, newest.*
    from (
      select c.hash, c.fid, c.ts, (${now}::bigint - c.ts) / ${DAY_SECONDS} as day, c.words, c.root_parent_url
      from social.casts c
      where c.ts > ${from}::bigint and c.ts <= ${to}::bigint
      order by c.ts desc, c.hash desc
      limit ${limit}
    ) newest`
  await db`
    create temporary table topic_casts on commit drop as ${newest(recentSince, now, MAX_RECENT_CASTS)}`
  await db`
    create temporary table topic_background on commit drop as
    ${newest(recentSince - BACKGROUND_DAYS * DAY_SECONDS, recentSince, MAX_BACKGROUND_CASTS)}`
  await createWords(db, db`topic_words`, db`topic_casts`, db`true`)
  await db`
    create temporary table topic_features on commit drop as
    select distinct id, fid, feature from (${featuresOf(db, { casts: db`topic_casts`, words: db`topic_words` })}) f`
  await db`
    create temporary table topic_candidates on commit drop as
    select feature, count(*) as authors, sum(casts) as casts
    from (select feature, fid, count(*) as casts from topic_features group by feature, fid) f
    group by feature
    having count(*) >= ${MIN_AUTHORS}
    order by authors desc, feature collate "C"
    limit ${MAX_CANDIDATES}`
  await db`analyze topic_candidates`
  await createWords(
    db,
    db`topic_background_words`,
    db`topic_background`,
    db`w.lexeme in (
      select unnest(string_to_array(feature, ' ')) from topic_candidates where feature ~ '^[wp] '
    )`,
  )
  const features = await scoreFeatures(db)
  return { features, pairs: await readPairs(db, features) }
}

/** Creates a table of the words of casts by their positions. Words have letters only, and are no stop words. */
async function createWords(db: Transaction, table: Fragment, casts: Fragment, condition: Fragment) {
  await db`
    create temporary table ${table} on commit drop as
    select c.id, c.fid, c.day, w.lexeme, p.position
    from ${casts} c
    cross join lateral unnest(c.words) as w
    cross join lateral unnest(w.positions) as p (position)
    where length(w.lexeme) between 2 and 30 and w.lexeme !~ '[0-9./_:@#&=%+~?-]'
      and w.lexeme not in (select unnest(${db.types.texts(stopWords)}::text[]))
      and ${condition}`
  await db`analyze ${table}`
}

/** The features of casts, one as often as a cast has it. */
function featuresOf(db: Transaction, { casts, words }: { casts: Fragment; words: Fragment }): Fragment {
  return db`
    select id, fid, day, 'w ' || lexeme as feature from ${words}
    union all
    select a.id, a.fid, a.day, 'p ' || a.lexeme || ' ' || b.lexeme
    from ${words} a
    join ${words} b on b.id = a.id and b.position = a.position + 1
    union all
    select c.id, c.fid, c.day, 'c ' || u.channel_id
    from ${casts} c
    join channels.urls u on u.url = c.root_parent_url
    union all
    select c.id, c.fid, c.day, 'h ' || lower(substring(e.url from '^https?://(?:www\\.)?([^/:?# ]+\\.[^/:?# ]+)'))
    from ${casts} c
    join social.url_embeds e on e.hash = c.hash
    where e.url ~ '^https?://[^/:?# ]+\\.[^/:?# ]+'`
}

/** Scores the candidates. Pairs are counted as distinct rows, which are hashed: `count(distinct (fid, day))` sorts records, for three times as long. */
async function scoreFeatures(db: Transaction): Promise<TopicFeature[]> {
  return db<TopicFeature[]>`
    with background as (
      select feature, count(*) as author_days
      from (
        select distinct feature, fid, day
        from (${featuresOf(db, { casts: db`topic_background`, words: db`topic_background_words` })}) f
        where feature in (select feature from topic_candidates)
      ) f
      group by feature
    ),
    totals as (
      select
        (select count(distinct fid) from topic_casts)::float8 as recent,
        (select count(*) from (select distinct fid, day from topic_background) d)::float8 as background
    ),
    weights as (
      select f.feature, sum(0.2 + coalesce(u.score, 0.5)) as weight
      from (
        select distinct feature, fid from topic_features where feature in (select feature from topic_candidates)
      ) f
      left join social.users u on u.fid = f.fid
      group by f.feature
    ),
    expected as (
      select c.feature, c.casts::integer, c.authors::float8, w.weight::float8,
        t.recent * (coalesce(b.author_days, 0) + 1) / (t.background + t.recent) as expected
      from topic_candidates c
      cross join totals t
      join weights w on w.feature = c.feature
      left join background b on b.feature = c.feature
    )
    select feature, casts, round((weight * ln(authors / expected))::numeric, 6)::float8 as score
    from expected
    where authors >= ${MIN_LIFT} * expected
      and 2 * (authors * ln(authors / expected) - (authors - expected)) >= ${MIN_LIKELIHOOD_RATIO}
    order by score desc, feature collate "C"
    limit ${MAX_FEATURES}
  `
}

/**
 * Reads which of these features occur together. Casts with the same features are counted as one row, and pairs outside of SQL: 1,000
 * copies of a text of 120 words, all of whose words and phrases are features then, took 40 s of CPU when each cast was joined with itself.
 */
async function readPairs(db: Transaction, features: readonly TopicFeature[]): Promise<FeaturePair[]> {
  const names = features.map(({ feature }) => feature)
  await db`delete from topic_features where feature <> all (${db.types.texts(names)}::text[])`
  const sets = await db<{ numbers: string; casts: number }[]>`
    select numbers, count(*)::integer as casts
    from (
      select string_agg(n.number::text, ' ' order by n.number) as numbers
      from topic_features f
      join unnest(${db.types.texts(names)}::text[]) with ordinality as n (feature, number) on n.feature = f.feature
      group by f.id
    ) s
    group by numbers
  `
  const shared = await countShared(names.length, sets)
  return names.flatMap((a, x) =>
    names.flatMap((b, y) => {
      const casts = shared[x]![y]!
      const isPair = x !== y && casts >= 2 && 2 * casts >= Math.min(shared[x]![x]!, shared[y]![y]!)
      return isPair ? [{ a, b }] : []
    }),
  )
}

/** Pairs that are counted in a turn of the event loop: some milliseconds. */
const MAX_COUNTED_PAIRS = 500_000

/** Counts the casts that have two features, of each two: a table whose diagonal has the casts of each. */
async function countShared(
  features: number,
  sets: readonly { readonly numbers: string; readonly casts: number }[],
): Promise<Uint32Array[]> {
  const shared = Array.from({ length: features }, () => new Uint32Array(features))
  let counted = 0
  for (const { numbers, casts } of sets) {
    const places = numbers.split(' ').map((number) => Number(number) - 1)
    counted += places.length ** 2
    // Thousands of long texts that differ in some words take a second or two.
    if (counted > MAX_COUNTED_PAIRS) {
      await nextTurn()
      counted = 0
    }
    for (const x of places) for (const y of places) shared[x]![y]! += casts
  }
  return shared
}
