import type { Fragment } from '#postgres'
import type { Database } from '../../platform/db/connection.js'
import { type SearchTerms, searchTerms } from './cast-search-terms.js'
import type { SearchWord } from './search-words.js'
import { nameKind } from './users-search.js'

/**
 * Words of a query that match other words, too: the first ones. Each may take a scan of the vocabulary and one of the
 * usernames by prefix; 500 characters have room for 80, and nobody types as many on purpose.
 */
const MAX_WORDS = 8
/** Users whose names match one word: those with the most followers. */
const MAX_USERS_PER_WORD = 32
/**
 * Users whose followers are compared: a word that more names have is no name of anybody. To a prefix that more have, the
 * top users of it are added.
 */
const MAX_NAMES_PER_WORD = 1_000
/** Spellings that match one word: those in the most casts. */
const MAX_SPELLINGS_PER_WORD = 20
/** An edit in the middle of a word of so many letters leaves few of its trigrams, or none. */
const MAX_SHORT_WORD_LENGTH = 5
/** Words of the vocabulary whose edit distance to a short word is computed: those in the most casts. */
const MAX_CANDIDATES_PER_SHORT_WORD = 1_000
/** Words of the vocabulary whose edit distance to a longer word is computed: those with the most trigrams in common. */
const MAX_CANDIDATES_PER_LONG_WORD = 300
/** Shorter prefixes match too many names to look them up. */
const MIN_PREFIX_LENGTH = 3

interface AlternativeRow {
  readonly index: number
  readonly mention: number | null
  readonly spelling: string | null
  /** Letters of the word that the spelling is one of, as PostgreSQL indexes them. */
  readonly letters: string | null
}

/**
 * Parses `q` and adds what matches in place of its words: mentions of users whose names have the word, and
 * for `word~n` words of recent casts with similar spelling, for the first words. One statement; none without words.
 */
export async function loadSearchTerms(db: Database, q: string): Promise<SearchTerms> {
  const terms = searchTerms(q)
  const words = [...new Map(terms.words.map((word) => [keyOf(word), word])).values()].slice(0, MAX_WORDS)
  if (words.length === 0) return terms
  const rows = await db<AlternativeRow[]>`
    with word as materialized (${foldedWords(db, words)})
    ${namedUsers(db)}
    union all
    ${similarWords(db)}
    order by 1, 2 desc, 3, 4
  `
  const alternatives = new Map<string, string[]>()
  for (const [position, word] of words.entries()) {
    const own = rows.filter(({ index }) => index === position + 1)
    const mentions = own.flatMap(({ mention }) => (mention === null ? [] : [`zqm${mention}x`]))
    const spellings = own
      .flatMap(({ spelling, letters }) =>
        spelling === null || letters === null ? [] : [{ spelling, letters }],
      )
      .filter(({ spelling, letters }) => spelling !== letters && isWithinEdits(spelling, letters, word.edits))
      .slice(0, MAX_SPELLINGS_PER_WORD)
      .map(({ spelling }) => `'${spelling.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`)
    alternatives.set(keyOf(word), [...mentions, ...spellings])
  }
  return searchTerms(q, (word) => alternatives.get(keyOf(word)) ?? [])
}

/**
 * SQL for a table of the words, in lowercase as PostgreSQL makes it of names (`prefix`) and of the words of casts (`letters`), which
 * depends on its locale. `query` is null for a word that no names are searched for, `letters` for one without other spellings.
 */
function foldedWords(db: Database, words: readonly SearchWord[]): Fragment {
  const queries = words.map(({ quoted }) => (isShortPrefix(quoted) ? null : quoted))
  const prefixes = words.map(({ quoted }) => (isPrefix(quoted) ? quoted.slice(1, -"':*".length) : null))
  const similar = words.map(({ quoted, edits }) => (edits > 0 ? quoted.slice(1, -1) : null))
  return db`
    select query, lower(prefix) as prefix, (ts_lexize('pg_catalog.simple', letters))[1] as letters, edits, index
    from unnest(
      ${db.types.texts(queries)}::text[], ${db.types.texts(prefixes)}::text[], ${db.types.texts(similar)}::text[],
      ${words.map(({ edits }) => edits)}::integer[]
    ) with ordinality as written (query, prefix, letters, edits, index)`
}

/** SQL for the users whose names have words. */
function namedUsers(db: Database): Fragment {
  const isNamed = db`
    u.username is not null
    and to_tsvector('simple'::regconfig, u.username) @@ to_tsquery('simple'::regconfig, word.query)`
  return db`
    select word.index::integer, 0 as casts, found.fid as mention, null as spelling, null as letters
    from word
    cross join lateral (
      select named.fid
      from (
        (select u.fid from social.users u where ${isNamed} limit ${MAX_NAMES_PER_WORD})
        union
        select u.fid
        from search.top_users_by_prefix top
        join social.users u using (fid)
        where top.kind = ${nameKind.username}::smallint and top.prefix = word.prefix and ${isNamed}
      ) named
      left join social.user_counts n on n.fid = named.fid
      order by coalesce(n.follower_count, 0) desc, named.fid
      limit ${MAX_USERS_PER_WORD}
    ) found
    where word.query is not null`
}

/**
 * SQL for the words of the vocabulary that may be spellings of words. A scan that compares lengths and letters finds those
 * of a short word, whatever was edited; among 50,000 words it takes as long as a search of the 300 nearest by trigrams.
 */
function similarWords(db: Database): Fragment {
  return db`
    select word.index::integer, found.casts, null, found.word, word.letters
    from word
    cross join lateral (
      select v.word, v.casts
      from search.vocabulary v
      where char_length(v.word) between char_length(word.letters) - word.edits and char_length(word.letters) + word.edits
        and char_length(translate(v.word, word.letters, '')) <= word.edits
        and char_length(translate(word.letters, v.word, '')) <= word.edits
      order by v.casts desc, v.word
      limit ${MAX_CANDIDATES_PER_SHORT_WORD}
    ) found
    where char_length(word.letters) <= ${MAX_SHORT_WORD_LENGTH}
    union all
    select word.index::integer, found.casts, null, found.word, word.letters
    from word
    cross join lateral (
      select v.word, v.casts
      from search.vocabulary v
      order by v.word <-> word.letters
      limit ${MAX_CANDIDATES_PER_LONG_WORD}
    ) found
    where char_length(word.letters) > ${MAX_SHORT_WORD_LENGTH}`
}

function keyOf({ quoted, edits }: SearchWord): string {
  return `${quoted}~${edits}`
}

function isPrefix(quoted: string): boolean {
  return quoted.endsWith("':*")
}

function isShortPrefix(quoted: string): boolean {
  return isPrefix(quoted) && quoted.length - "'':*".length < MIN_PREFIX_LENGTH
}

/** Whether a word becomes the other by at most this many edits: a letter more, less, replaced, or swapped with the next. */
function isWithinEdits(word: string, other: string, edits: number): boolean {
  const [letters, others] = [Array.from(word), Array.from(other)]
  if (Math.abs(letters.length - others.length) > edits) return false
  const rows = [Array.from({ length: others.length + 1 }, (_, index) => index)]
  for (const [row, letter] of letters.entries()) {
    const [above, twoAbove] = [rows[row]!, rows[row - 1]]
    const next = [row + 1]
    for (const [column, otherLetter] of others.entries()) {
      const isSwapped = letter === others[column - 1] && letters[row - 1] === otherLetter
      next.push(
        Math.min(
          above[column]! + (letter === otherLetter ? 0 : 1),
          above[column + 1]! + 1,
          next[column]! + 1,
          isSwapped ? twoAbove![column - 1]! + 1 : Number.POSITIVE_INFINITY,
        ),
      )
    }
    rows.push(next)
  }
  return rows.at(-1)!.at(-1)! <= edits
}
