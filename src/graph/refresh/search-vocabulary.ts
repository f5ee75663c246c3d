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

/**
 * Refreshes the words of recent casts. Writes only what changed. Not by `ts_stat`, whose tree is not balanced: of 50,000 casts with
 * a number of their own each, in order, it takes 17 s of CPU, and counting takes 0.25 s.
 */
export async function refreshVocabulary(db: Database): Promise<void> {
  await db`
    with fresh as materialized (
      select word, count(*)::integer as casts
      from (select words from social.casts order by ts desc, hash desc limit ${MAX_CASTS}) c
      cross join lateral unnest(tsvector_to_array(c.words)) as w (word)
      where length(word) between 3 and 32 and word !~ '[0-9./:@#&=%+~?_]'
      group by word
      order by casts desc, word collate "C"
      limit ${MAX_WORDS}
    ),
    removed as (
      delete from search.vocabulary v where not exists (select from fresh f where f.word = v.word)
    )
    insert into search.vocabulary as v (word, casts)
    select word, casts from fresh f
    -- A conflict locks the row and writes to the log, also where nothing is updated: 2.8 MB of 50,000 rows.
    where not exists (select from search.vocabulary s where s.word = f.word and s.casts = f.casts)
    on conflict (word) do update set casts = excluded.casts where v.casts <> excluded.casts
  `
}
