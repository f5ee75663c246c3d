import type { Transaction } from '../../platform/db/connection.js'
import { type TopLevelTopic, topLevelTopics } from './schema/topic.js'
import { DEFAULT_SUBJECT, subjectWords } from './subject-words.js'
import type { TopicCluster } from './topic-clusters.js'

/** Authors of a topic that are stored: more than are shown, because apps ban some. */
const MAX_AUTHORS = 20

/**
 * Stores the topics of this run in place of those before. A cast belongs to a topic if it has the topic's leading
 * feature or two others. Reads the temporary tables of `selectTopicFeatures`.
 */
export async function storeTopics(db: Transaction, clusters: readonly TopicCluster[]): Promise<void> {
  const members = clusters.flatMap(({ slug, leading, features }) =>
    features.map((feature) => ({ slug, feature, weight: feature === leading ? 2 : 1 })),
  )
  await db`
    create temporary table topic_members on commit drop as
    select m.slug, f.id
    from unnest(
      ${db.types.texts(members.map(({ slug }) => slug))}::text[],
      ${db.types.texts(members.map(({ feature }) => feature))}::text[],
      ${members.map(({ weight }) => weight)}::integer[]
    ) as m (slug, feature, weight)
    join topic_features f on f.feature = m.feature
    group by m.slug, f.id
    having sum(m.weight) >= 2`
  const subjects = await readSubjects(db)
  const names = await readNames(db, clusters)
  await db`delete from topics.topics`
  await db`
    insert into topics.topics (slug, name, score, top_level_topic, summary, author_fids)
    select t.slug, t.name, t.score, t.subject, null, array(
      select c.fid
      from topic_members m
      join topic_casts c on c.id = m.id
      join social.users u on u.fid = c.fid
      where m.slug = t.slug
      group by c.fid, u.score
      order by u.score desc nulls last, count(*) desc, c.fid
      limit ${MAX_AUTHORS}
    )
    from unnest(
      ${db.types.texts(clusters.map(({ slug }) => slug))}::text[],
      ${db.types.texts(clusters.map(({ slug, leading }) => names.get(slug) ?? leading.slice(2)))}::text[],
      ${db.types.texts(clusters.map(({ score }) => String(score)))}::text[]::float8[],
      ${db.types.texts(clusters.map(({ slug }) => subjects.get(slug) ?? DEFAULT_SUBJECT))}::text[]
    ) as t (slug, name, score, subject)`
  await db`
    insert into topics.casts (slug, ts, hash, fid)
    select m.slug, c.ts, c.hash, c.fid
    from topic_members m
    join topic_casts c on c.id = m.id`
}

/** The subject whose words the most casts of a topic have. */
async function readSubjects(db: Transaction): Promise<Map<string, TopLevelTopic>> {
  const words = Object.entries(subjectWords).flatMap(([subject, list]) =>
    list.split(' ').map((word) => ({ subject: subject as TopLevelTopic, word })),
  )
  const rows = await db<{ slug: string; subject: TopLevelTopic }[]>`
    with words as (
      select id, lexeme from topic_words
      union all
      select id, substring(feature from 3) from topic_features where feature like 'c %'
    ),
    counts as (
      select m.slug, s.subject, count(distinct m.id) as casts
      from topic_members m
      join words w on w.id = m.id
      join unnest(
        ${db.types.texts(words.map(({ subject }) => subject))}::text[],
        ${db.types.texts(words.map(({ word }) => word))}::text[]
      ) as s (subject, word) on s.word = w.lexeme
      group by m.slug, s.subject
    )
    select distinct on (slug) slug, subject
    from counts
    order by slug, casts desc, array_position(${db.types.texts(topLevelTopics)}::text[], subject)
  `
  return new Map(rows.map(({ slug, subject }) => [slug, subject]))
}

/** The name of a channel, a host, or the most frequent spelling of words in the casts of the topic. */
async function readNames(db: Transaction, clusters: readonly TopicCluster[]): Promise<Map<string, string>> {
  const spelled = clusters.filter(({ leading }) => /^[wp] /.test(leading))
  const rows = await db<{ slug: string; name: string | null }[]>`
    select t.slug, (
      select mode() within group (order by spelling collate "C")
      from topic_members m
      join topic_casts recent on recent.id = m.id
      join social.casts c on c.hash = recent.hash
      cross join lateral (select regexp_replace(substring(c.text from t.pattern), '\\s+', ' ', 'g') as spelling) s
      where m.slug = t.slug and spelling is not null
    ) as name
    from unnest(
      ${db.types.texts(spelled.map(({ slug }) => slug))}::text[],
      ${db.types.texts(spelled.map(({ leading }) => `(?i)\\y${leading.slice(2).split(' ').join('\\s+')}\\y`))}::text[]
    ) as t (slug, pattern)
    union all
    select t.slug, ch.name
    from unnest(
      ${db.types.texts(clusters.map(({ slug }) => slug))}::text[],
      ${db.types.texts(clusters.map(({ leading }) => leading))}::text[]
    ) as t (slug, feature)
    join channels.channels ch on t.feature = 'c ' || ch.id
  `
  return new Map(rows.flatMap(({ slug, name }) => (name === null ? [] : [[slug, name] as const])))
}
