import { Type } from '@sinclair/typebox'
import { invalidField } from '../../../api/invalid-field.js'
import { choiceParameter, fidParameter, textParameter } from '../../../api/parameters.js'
import { type CastSearch, countCastsFound, searchCasts } from '../../../graph/query/cast-search.js'
import { searchTerms } from '../../../graph/query/cast-search-terms.js'
import { dateTimeOf } from '../../../graph/view/formats.js'
import { CastsMetricsResponse, CastsSearchResponse } from '../../../graph/view/schema/cast.js'
import { farcasterSecondsFromUnixSeconds } from '../../../protocol/time.js'
import { feedPages } from '../../feeds/routes/feed-page.js'
import { feedPaging, parentUrl } from '../../feeds/routes/feed-parameters.js'
import { defineOperation } from '../../operation.js'

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
  'word; scripts without spaces match by any part of the text. Similarity (`word~1`, `"some words"~2`) is not',
  'supported.',
].join(' ')

/** A fuzzy or proximity operator behind a word or a phrase. */
const similarityPattern = /["\p{L}\p{N}]~\d/u

/** Parses the search; a 400 for unsupported operators. */
function castSearch(query: {
  q: string
  author_fid?: number
  channel_id?: string
  parent_url?: string
}): CastSearch {
  if (similarityPattern.test(query.q))
    throw invalidField('q', 'uses the operator ~ (similarity), which is not supported')
  return {
    terms: searchTerms(query.q),
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

const pages = {
  desc_chron: feedPages('cast/search: desc_chron', false),
  chron: feedPages('cast/search: chron', false),
}

/** `GET cast/search` */
export const castSearchOperation = defineOperation({
  method: 'GET',
  path: 'cast/search',
  tag: 'Casts',
  summary: 'Search for casts',
  description: `Full-text search. ${searchNote}`,
  query: Type.Object({
    ...searchParameters,
    mode: choiceParameter(['literal', 'semantic', 'hybrid'], {
      default: 'literal',
      description: 'Only `literal` is supported; the others are a 400.',
    }),
    sort_type: choiceParameter(['desc_chron', 'chron'], {
      default: 'desc_chron',
      description: 'Order by time: newest or oldest first.',
    }),
    parent_url: Type.Optional({ ...parentUrl('Only casts directly below this URL.'), examples: [] }),
    ...feedPaging,
  }),
  reply: CastsSearchResponse,

  async handle({ db, hydrator }, query, caller) {
    const { mode, sort_type: order } = query
    if (mode !== 'literal') throw invalidField('mode', `${mode} is not supported: only literal is`)
    const search = castSearch(query)
    const page = await pages[order]({ db, hydrator }, caller, query, async (pageRequest) =>
      isEmpty(search) ? [] : searchCasts(db, search, { ...pageRequest, order }),
    )
    return `{"result":${page}}`
  },
})

const HOUR = 3_600
const DAY = 24 * HOUR
const WEEK = 7 * DAY

/** Length of each interval and of its steps, in seconds. */
const intervals = {
  '1d': { seconds: DAY, piece: HOUR },
  '7d': { seconds: WEEK, piece: DAY },
  '30d': { seconds: 30 * DAY, piece: DAY },
  '90d': { seconds: 90 * DAY, piece: WEEK },
  '180d': { seconds: 180 * DAY, piece: WEEK },
} as const
const intervalNames = ['1d', '7d', '30d', '90d', '180d'] as const

/** `GET cast/metrics` */
export const castMetrics = defineOperation({
  method: 'GET',
  path: 'cast/metrics',
  tag: 'Casts',
  summary: 'Fetch metrics for casts',
  description:
    'Counts casts that match a query, oldest interval first. Intervals without a match are listed; the ' +
    'last one is still open. `1d` is counted by hours, `7d` and `30d` by days, longer ranges by weeks, ' +
    `aligned to 1970-01-01 UTC. ${searchNote}`,
  query: Type.Object({
    ...searchParameters,
    interval: choiceParameter(intervalNames, { default: '30d', description: 'Time range that ends now.' }),
  }),
  reply: CastsMetricsResponse,

  async handle({ db, clock }, query) {
    const search = castSearch(query)
    const { seconds, piece } = intervals[query.interval]
    const count = Math.ceil(seconds / piece)
    const current = Math.floor(clock() / 1000 / piece) * piece
    const start = current - (count - 1) * piece
    const ts = farcasterSecondsFromUnixSeconds(start)
    const found = isEmpty(search) ? [] : await countCastsFound(db, search, { ts, seconds: piece, count })
    const counts = new Map(found.map((row) => [row.piece, row.casts]))
    return {
      metrics: Array.from({ length: count }, (_, index) => ({
        start: dateTimeOf(start + index * piece),
        resolution_in_seconds: piece,
        cast_count: counts.get(index) ?? 0,
      })),
    }
  },
})
