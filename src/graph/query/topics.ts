import type { Database } from '../../platform/db/connection.js'
import { cursorRow, type FeedCursor, type FeedPageRequest } from './feeds.js'
import { type Viewer, visibilityFilter } from './visibility-filter.js'

/** A trending topic. */
export interface TopicRow {
  readonly slug: string
  readonly name: string
  readonly topLevelTopic: string
  readonly summary: string | null
  readonly score: number
  readonly authorFids: readonly number[]
}

/** The page of topics, and its viewer. */
export interface TopicsPageRequest extends Viewer {
  readonly after: { readonly score: number; readonly slug: string } | null
  readonly count: number
}

/** Reads topics of which an author is visible, best first. What a language model has written replaces the computed name and subject. */
export async function readTopics(
  db: Database,
  { after, count, ...viewer }: TopicsPageRequest,
): Promise<TopicRow[]> {
  return db<TopicRow[]>`
    select t.slug, coalesce(d.name, t.name) as name, d.summary, t.score,
      coalesce(d.top_level_topic, t.top_level_topic) as "topLevelTopic",
      to_json(t.author_fids) as "authorFids"
    from topics.topics t
    left join topics.descriptions d on d.slug = t.slug
    where ${
      after === null
        ? db`true`
        : db`(t.score < ${after.score}::float8 or (t.score = ${after.score}::float8 and t.slug > ${after.slug}))`
    }
      and exists (select from unnest(t.author_fids) as author (fid) where ${visibilityFilter(db, viewer, 'author.fid')})
    order by t.score desc, t.slug
    limit ${count}
  `
}

/** Reads the casts about a topic, newest first; none for an unknown topic. */
export async function readTopicFeed(
  db: Database,
  slug: string,
  pageRequest: FeedPageRequest,
): Promise<FeedCursor[]> {
  return db<FeedCursor[]>`
    select c.ts, encode(c.hash, 'hex') as hash
    from topics.casts c
    where c.slug = ${slug} and ${visibilityFilter(db, pageRequest, 'c.fid')}
      and (c.ts, c.hash) < ${cursorRow(db, pageRequest)}
    order by c.ts desc, c.hash desc
    limit ${pageRequest.count}
  `
}
