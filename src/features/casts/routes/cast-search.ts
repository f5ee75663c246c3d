import { Type } from '@sinclair/typebox'
import { choiceParameter, fidParameter, textParameter } from '../../../api/parameters.js'
import { countCastsFound } from '../../../graph/query/cast-metrics.js'
import { type CastSearch, searchCasts } from '../../../graph/query/cast-search.js'
import { searchTerms } from '../../../graph/query/cast-search-terms.js'
import { loadSearchTerms } from '../../../graph/query/search-alternatives.js'
import { dateTimeOf } from '../../../graph/view/formats.js'
import { json } from '../../../graph/view/json.js'
import type { Database } from '../../../platform/db/connection.js'
import { DAY_SECONDS, HOUR_SECONDS } from '../../../platform/durations.js'
import { PlazaError } from '../../../platform/errors.js'
import { workPrices } from '../../../platform/limits/work-prices.js'
import { farcasterSecondsFromUnixSeconds } from '../../../protocol/time.js'
import { feedPages } from '../../feeds/routes/feed-page.js'
import { feedPaging, parentUrl } from '../../feeds/routes/feed-parameters.js'
import { defineOperation } from '../../operation.js'
import { CastsMetricsResponse, CastsSearchResponse } from '../schema/cast.js'
import { rankedSearch, rankedSearchNote } from './ranked-search.js'

/** Parameters of a cast search. */
const searchParameters = {
  q: textParameter({
    description: 'Search text with operators; see the description of the operation.',
    examples: ['tomato from:dwr'],
    maxLength: 500,
  }),
  author_fid: Type.Optional(fidParameter({ description: 'Only casts by this author.' })),
  channel_id: Type.Optional(
    textParameter({
      description: 'Only casts in this channel, including replies in its threads.',
      examples: ['gardening'],
    }),
  ),
}

/** The part of a description that explains `q`. */
const searchNote = [
  '`a b` or `a + b` matches casts with both words, `a | b` with either, `"a b"` with the phrase, `-a` without the word,',
  '`gard*` with a word that starts so; parentheses group. `from:name` matches casts by a user, several of them casts by',
  'any of the users, `-from:name` casts by others. `after:2026-10-01` and `before:2026-11-01T12:00:00Z` limit the time,',
  'in UTC unless a zone is given. Case does not matter; meaningless punctuation is ignored. An emoji is a',
  'word; scripts without spaces match by any part of the text. `word~1` matches words of recent casts that differ in',
  'at most so many letters (2 at most), `"some words"~2` a phrase with up to so many other words in it (a long phrase',
  'allows for fewer). The name of a mentioned user matches as in the text of the reply. `~1` and names of mentioned users',
  'count for the first eight different words.',
].join(' ')

async function castSearch(
  db: Database,
  query: { q: string; author_fid?: number; channel_id?: string; parent_url?: string },
): Promise<CastSearch> {
  return {
    terms: await loadSearchTerms(db, query.q),
    authorFid: query.author_fid,
    parentUrl: query.parent_url,
    channelId: query.channel_id,
  }
}

/** Whether the search has no term; punctuation is no term. */
function isEmpty({ terms }: CastSearch): boolean {
  const { tsquery, usernames, notUsernames, afterMs, beforeMs } = terms
  const isForSomebody = usernames.length > 0 || notUsernames.length > 0
  return tsquery === null && !isForSomebody && afterMs === null && beforeMs === null
}

const timePages = {
  desc_chron: feedPages('cast/search: desc_chron', false),
  chron: feedPages('cast/search: chron', false),
}

/** `GET cast/search` */
export const castSearchOperation = defineOperation({
  method: 'GET',
  path: 'cast/search',
  price: () => workPrices.search,
  isPublic: true,
  tag: 'Casts',
  summary: 'Search for casts',
  description: `Full-text search. ${searchNote} ${rankedSearchNote}`,
  query: Type.Object({
    ...searchParameters,
    mode: choiceParameter(['literal', 'semantic', 'hybrid'], {
      default: 'literal',
      description:
        '`literal` matches words, `semantic` the meaning of the text without its filters, `hybrid` both. The latter ' +
        'need an embedding model (`AI_EMBEDDING_MODEL`); without one they are a 501.',
    }),
    sort_type: Type.Optional(
      choiceParameter(['desc_chron', 'chron', 'algorithmic'], {
        description:
          'Newest first, oldest first, or by activity and age. Default: `desc_chron`; with `semantic` and `hybrid` ' +
          'the best match first.',
      }),
    ),
    parent_url: Type.Optional({ ...parentUrl('Only casts directly below this URL.'), examples: [] }),
    ...feedPaging,
  }),
  longWait: { limitMs: 130_000, reason: 'the AI endpoint, in the modes that use it' },
  reply: CastsSearchResponse,

  async prepare({ ai }, { q, mode }, caller) {
    if (mode === 'literal') return
    if (ai.embed === null)
      throw new PlazaError('not_configured', `mode=${mode} needs AI_BASE_URL and AI_EMBEDDING_MODEL`)
    const { plainText } = searchTerms(q)
    if (plainText !== '') await ai.embed(caller, plainText)
  },

  async handle(context, query, caller) {
    const { db, hydrator } = context
    const search = await castSearch(db, query)
    const mode = search.terms.plainText === '' ? 'literal' : query.mode
    const order = query.sort_type ?? (mode === 'literal' ? 'desc_chron' : 'relevance')
    const isInOrderOfTime = order === 'desc_chron' || order === 'chron'
    const page =
      mode === 'literal' && isInOrderOfTime
        ? await timePages[order]({ hydrator }, caller, query, {
            read: async (pageRequest) =>
              isEmpty(search) ? [] : searchCasts(db, search, { ...pageRequest, order }),
          })
        : await rankedSearch(context, caller, query, { search, mode, order, isEmpty: isEmpty(search) })
    return json`{"result":${page}}`
  },
})

const WEEK_SECONDS = 7 * DAY_SECONDS

/** Length of each interval and of its steps, in seconds. */
const intervals = {
  '1d': { seconds: DAY_SECONDS, periodSeconds: HOUR_SECONDS },
  '7d': { seconds: WEEK_SECONDS, periodSeconds: DAY_SECONDS },
  '30d': { seconds: 30 * DAY_SECONDS, periodSeconds: DAY_SECONDS },
  '90d': { seconds: 90 * DAY_SECONDS, periodSeconds: WEEK_SECONDS },
  '180d': { seconds: 180 * DAY_SECONDS, periodSeconds: WEEK_SECONDS },
} as const
const intervalNames = ['1d', '7d', '30d', '90d', '180d'] as const

/** `GET cast/metrics` */
export const castMetrics = defineOperation({
  method: 'GET',
  path: 'cast/metrics',
  price: () => workPrices.search,
  isPublic: true,
  tag: 'Casts',
  summary: 'Fetch metrics for casts',
  description:
    'Counts casts that match a query, oldest interval first. Intervals without a match are listed; the ' +
    'last one is still open. `1d` is counted by hours, `7d` and `30d` by days, longer ranges by weeks, ' +
    'aligned to 1970-01-01 UTC. With more than about 10,000 matches, a random sample of at least 2,000 is counted and ' +
    `multiplied; casts by an author are all counted if \`q\` has no words. ${searchNote}`,
  query: Type.Object({
    ...searchParameters,
    interval: choiceParameter(intervalNames, { default: '30d', description: 'Time range that ends now.' }),
  }),
  reply: CastsMetricsResponse,

  async handle({ db, clock }, query) {
    const search = await castSearch(db, query)
    const { seconds, periodSeconds } = intervals[query.interval]
    const count = Math.ceil(seconds / periodSeconds)
    const current = Math.floor(clock() / 1000 / periodSeconds) * periodSeconds
    const start = current - (count - 1) * periodSeconds
    const ts = farcasterSecondsFromUnixSeconds(start)
    const found = isEmpty(search)
      ? []
      : await countCastsFound(db, search, { ts, seconds: periodSeconds, count })
    const counts = new Map(found.map((row) => [row.periodIndex, row.casts]))
    return {
      metrics: Array.from({ length: count }, (_, index) => ({
        start: dateTimeOf(start + index * periodSeconds),
        resolution_in_seconds: periodSeconds,
        cast_count: counts.get(index) ?? 0,
      })),
    }
  },
})
