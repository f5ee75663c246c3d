import { type Static, Type } from '@sinclair/typebox'
import { invalidField } from '../../../api/invalid-field.js'
import { choiceParameter, flagParameter, textParameter } from '../../../api/parameters.js'
import { parseTime } from '../../../api/parse-time.js'
import { dateTimeOf } from '../../../graph/view/formats.js'
import { usernameOrPlaceholder } from '../../../graph/view/user-dehydrated.js'
import type { Database } from '../../../platform/db/connection.js'
import { DAY_SECONDS, HOUR_SECONDS, MINUTE_SECONDS } from '../../../platform/durations.js'
import { workPrices } from '../../../platform/limits/work-prices.js'
import { defineOperation } from '../../operation.js'
import { validateFrameAction } from '../frame-message.js'
import {
  FrameValidateAnalyticsResponse,
  FrameValidateListResponse,
  ValidateFrameActionResponse,
} from '../schema/validated-frame.js'
import { describeFrameAction } from '../validated-action.js'
import {
  countInteractors,
  listValidatedUrls,
  MAX_ANALYSED_ACTIONS,
  MAX_ROWS,
  RETENTION_DAYS,
  readInputTexts,
  readInteractionsPerCast,
  readInteractors,
  recordValidation,
  type ValidationRange,
} from '../validations.js'

/** Longest encoded message that is read; the largest frame action has some 6,000 bytes. */
const MAX_HEX_LENGTH = 16_384

/** `POST frame/validate` */
export const frameValidate = defineOperation({
  method: 'POST',
  path: 'frame/validate',
  tag: 'Mini apps',
  summary: 'Validate frame action',
  description:
    'Checks a frame action that a client has posted to a frame: its form, hash and signature, and that the key is an ' +
    'active key of the user. One that does not hold is a 200 with `valid: false` and the broken rule in `message` ' +
    '(Plaza’s addition); what is no frame action is a 400. Valid actions count in `frame/validate/analytics`.',
  body: Type.Object({
    message_bytes_in_hex: textParameter({
      maxLength: MAX_HEX_LENGTH,
      description: '`trustedData.messageBytes` of the frame’s request, with or without `0x`.',
      examples: ['0a49080d1085940118f6a6a32e20018201390a1a86db69b3ffdf6ab8acb6872b69ccbe7eb6a67af7'],
    }),
    cast_reaction_context: flagParameter({
      default: true,
      description: 'Adds `viewer_context` to the cast: whether the user liked and recast it.',
    }),
    follow_context: flagParameter({
      default: false,
      description:
        'Adds `viewer_context` to the interactor: whether it follows the author of the cast, and is followed by it.',
    }),
    signer_context: flagParameter({
      default: false,
      description: 'Adds `signer`: the app that requested the key.',
    }),
    channel_follow_context: flagParameter({
      default: false,
      description: 'Adds `viewer_context` to the channel of the cast.',
    }),
  }),
  reply: ValidateFrameActionResponse,

  async handle({ db, writerDb, hub, hydrator, clock }, body, { appId }) {
    const verdict = await validateFrameAction({ hub }, body.message_bytes_in_hex)
    if ('problem' in verdict) return { valid: false, message: verdict.problem }
    const { action } = verdict
    await recordValidation(writerDb, appId, action, clock())
    const described = await describeFrameAction({ db, hydrator }, action, {
      castReactions: body.cast_reaction_context,
      follows: body.follow_context,
      signer: body.signer_context,
      channelFollow: body.channel_follow_context,
    })
    return { valid: true, action: described }
  },
})

/** `GET frame/validate/list` */
export const frameValidateList = defineOperation({
  method: 'GET',
  path: 'frame/validate/list',
  tag: 'Mini apps',
  summary: 'List validated frames',
  description: `URLs of frames whose actions this app has validated in the last ${RETENTION_DAYS} days, at most ${MAX_ROWS}.`,
  query: Type.Object({}),
  reply: FrameValidateListResponse,

  async handle({ db }, _query, { appId }) {
    return { frames: await listValidatedUrls(db, appId) }
  },
})

const aggregateWindows = {
  '10s': 10,
  '1m': MINUTE_SECONDS,
  '2m': 2 * MINUTE_SECONDS,
  '5m': 5 * MINUTE_SECONDS,
  '10m': 10 * MINUTE_SECONDS,
  '20m': 20 * MINUTE_SECONDS,
  '30m': 30 * MINUTE_SECONDS,
  '2h': 2 * HOUR_SECONDS,
  '12h': 12 * HOUR_SECONDS,
  '1d': DAY_SECONDS,
  '7d': 7 * DAY_SECONDS,
} as const

const timeParameter = (description: string, example: string) =>
  textParameter({ description, maxLength: 64, examples: [example] })

const analyticsQuery = Type.Object({
  frame_url: textParameter({
    description: 'URL of the frame, as its actions have it.',
    examples: ['https://example.com/garden'],
  }),
  analytics_type: choiceParameter(
    ['total-interactors', 'interactors', 'interactions-per-cast', 'input-text'],
    { description: 'What is counted; it selects the member of the reply.' },
  ),
  start: timeParameter('Start of the time range.', '2026-10-01T00:00:00Z'),
  stop: timeParameter('End of the time range, exclusive.', '2026-11-01T00:00:00Z'),
  aggregate_window: Type.Optional(
    choiceParameter(Object.keys(aggregateWindows) as (keyof typeof aggregateWindows)[], {
      description: 'Length of an interval. Required for `interactions-per-cast`.',
      examples: [],
    }),
  ),
})

/** `GET frame/validate/analytics` */
export const frameValidateAnalytics = defineOperation({
  method: 'GET',
  path: 'frame/validate/analytics',
  tag: 'Mini apps',
  summary: 'Analytics for the frame',
  description:
    `Counts the actions of a frame that this app has validated in the last ${RETENTION_DAYS} days. ` +
    '`total-interactors` counts users; `interactors` lists them, most active first; `interactions-per-cast` counts by ' +
    'cast and interval, newest first, where `time` is the end of the interval; `input-text` lists entered texts, ' +
    `newest first. Lists have at most ${MAX_ROWS} rows, and the newest ` +
    `${MAX_ANALYSED_ACTIONS.toLocaleString('en')} actions of the time range count.`,
  price: () => workPrices.search,
  query: analyticsQuery,
  reply: FrameValidateAnalyticsResponse,

  async handle({ db }, query, { appId }) {
    const range = {
      appId,
      url: query.frame_url,
      start: parseTime('start', query.start),
      stop: parseTime('stop', query.stop),
    }
    if (range.start >= range.stop) throw invalidField('stop', 'must be later than start')
    return await analyses[query.analytics_type](db, range, query)
  },
})

type AnalyticsQuery = Static<typeof analyticsQuery>

const analyses: Record<
  AnalyticsQuery['analytics_type'],
  (db: Database, range: ValidationRange, query: AnalyticsQuery) => Promise<FrameValidateAnalyticsResponse>
> = {
  'total-interactors': async (db, range) => ({ total_interactors: await countInteractors(db, range) }),
  interactors: async (db, range) => ({
    interactors: (await readInteractors(db, range)).map(({ count, ...user }) => ({
      fid: user.fid,
      username: usernameOrPlaceholder(user),
      interaction_count: count,
    })),
  }),
  'interactions-per-cast': async (db, range, { aggregate_window: window }) => {
    if (window === undefined) {
      throw invalidField('aggregate_window', 'is required with analytics_type=interactions-per-cast')
    }
    const seconds = aggregateWindows[window]
    const rows = await readInteractionsPerCast(db, range, seconds)
    return {
      interactions_per_cast: rows.map(({ start, hash, count, ...author }) => ({
        start: dateTimeOf(start),
        stop: dateTimeOf(start + seconds),
        time: dateTimeOf(start + seconds),
        interaction_count: count,
        cast_url: `https://farcaster.xyz/${usernameOrPlaceholder(author)}/0x${hash}`,
      })),
    }
  },
  'input-text': async (db, range) => ({
    input_texts: (await readInputTexts(db, range)).map(({ text, ...user }) => ({
      fid: user.fid,
      username: usernameOrPlaceholder(user),
      input_text: text,
    })),
  }),
}
