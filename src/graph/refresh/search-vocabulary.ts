import type { Database } from '../../platform/db/connection.js'

/** The newest casts whose words are known by spelling. */
const MAX_CASTS = 50_000
/** The most frequent words. */
const MAX_WORDS = 50_000
const EVERY_MS = 30 * 60 * 1000

/** Creates the scheduled job that refreshes the vocabulary of searches by spelling (`word~1`). */
export function createVocabularyJob(db: Database) {
  return { name: 'search vocabulary', everyMs: EVERY_MS, run: () => refreshVocabulary(db) }
}

/** Refreshes the words of recent casts. Writes only what changed. */
export async function refreshVocabulary(db: Database): Promise<void> {
  const newest = `
    select words from (select words from social.casts order by ts desc, hash desc limit ${MAX_CASTS}) c`
  await db`
    with fresh as materialized (
      select word, ndoc as casts
      from ts_stat(${newest})
      where length(word) between 3 and 32 and word !~ '[0-9./:@#&=%+~?_]'
      order by ndoc desc, word collate "C"
      limit ${MAX_WORDS}
    ),
    removed as (
      delete from search.vocabulary v where not exists (select from fresh f where f.word = v.word)
    )
    insert into search.vocabulary as v (word, casts)
    select word, casts from fresh
    on conflict (word) do update set casts = excluded.casts where v.casts <> excluded.casts
  `
}
