import { Type } from '@sinclair/typebox'
import { choiceParameter } from '../../../api/parameters.js'
import { countCastsFound } from '../../../graph/query/cast-search.js'
import { dateTimeOf } from '../../../graph/view/formats.js'
import { CastsMetricsResponse } from '../../../graph/view/schema/cast-metrics.js'
import { farcasterSecondsFromUnixSeconds } from '../../../protocol/time.js'
import { defineOperation } from '../../operation.js'
import { castSearch, isEmpty, searchNote, searchParameters } from './search-parameters.js'

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
