import { Type } from '@sinclair/typebox'
import { invalidField } from '../../../api/invalid-field.js'
import { choiceParameter, fidParameter, textParameter } from '../../../api/parameters.js'
import { type CastSearch, countCastsFound, searchCasts } from '../../../graph/query/cast-search.js'
import { searchTerms } from '../../../graph/query/cast-search-terms.js'
import { dateTimeOf } from '../../../graph/view/formats.js'
import { CastsSearchResponse } from '../../../graph/view/schema/cast.js'
import { CastsMetricsResponse } from '../../../graph/view/schema/cast-metrics.js'
import { farcasterSecondsFromUnixSeconds } from '../../../protocol/time.js'
import { feedPages } from '../../feeds/routes/feed-page.js'
import { feedPaging, parentUrl } from '../../feeds/routes/feed-parameters.js'
import { defineOperation } from '../../operation.js'

/** What is looked for. */
const searchParameters = {
  q: textParameter({
    description: 'The words, with the operators that the description of the operation tells.',
    maxLength: 500,
  }),
  author_fid: Type.Optional(fidParameter({ description: 'Only casts by this user.' })),
  channel_id: Type.Optional(
    textParameter({ description: 'Only casts in this channel, in its threads too.' }),
  ),
}

/** The operators of `q`, for descriptions. */
const searchNote = [
  '`a b` or `a + b` finds casts with both words, `a | b` with either, `"a b"` with the phrase, `-a` without the word,',
  '`gard*` with a word that begins so; parentheses group. `from:name` finds casts of a user, of several of any of',
  'them, `-from:name` of others; `after:2026-10-01` and `before:2026-11-01T12:00:00Z` of a time, in UTC unless the',
  'zone is told. Case does not count; signs that make no sense are left out. An emoji is a',
  'word, and texts of scripts without spaces are found by any part. Likeness (`word~1`, `"some words"~2`) is not',
  'supported.',
].join(' ')

/** A slop or a fuzziness directly behind a word or a phrase. */
const similarityPattern = /["\p{L}\p{N}]~\d/u

/** Reads them; a 400 for what is not supported. */
function castSearch(query: {
  q: string
  author_fid?: number
  channel_id?: string
  parent_url?: string
}): CastSearch {
  if (similarityPattern.test(query.q))
    throw invalidField('q', 'asks for likeness with ~, which is not supported')
  return {
    terms: searchTerms(query.q),
    authorFid: query.author_fid,
    parentUrl: query.parent_url,
    channelId: query.channel_id,
  }
}

/** Whether it says anything to look for; signs alone do not. */
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
  tag: 'Cast',
  summary: 'Casts with some words',
  description: searchNote,
  query: Type.Object({
    ...searchParameters,
    mode: choiceParameter(['literal', 'semantic', 'hybrid'], {
      default: 'literal',
      description: 'Only `literal` is supported: words are found, not meanings. The others are refused.',
    }),
    sort_type: choiceParameter(['desc_chron', 'chron'], {
      default: 'desc_chron',
      description: 'Newest or oldest first.',
    }),
    parent_url: Type.Optional(parentUrl('Only casts directly below this URL.')),
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

/** How long an interval is, and its pieces, in seconds. */
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
  tag: 'Cast',
  summary: 'How many casts had some words, over time',
  description: [
    'Oldest piece of time first, empty ones too; the last one is not over yet. Pieces are hours for `1d`, days for `7d`',
    `and \`30d\`, weeks for longer intervals, counted from 1970-01-01 in UTC. ${searchNote}`,
  ].join(' '),
  query: Type.Object({
    ...searchParameters,
    interval: choiceParameter(intervalNames, { default: '30d', description: 'How far back.' }),
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
