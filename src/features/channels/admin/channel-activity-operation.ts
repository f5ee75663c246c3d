import { Type } from '@sinclair/typebox'
import { textParameter } from '../../../api/parameters.js'
import { DAY_SECONDS } from '../../../platform/durations.js'
import { farcasterSecondsFromUnixMs, unixMsFromFarcasterSeconds } from '../../../protocol/time.js'
import { defineAdminOperation } from '../../admin-operation.js'
import { readDailyCasts } from '../daily-activity.js'
import { requireChannel } from '../find-channel.js'
import { ChannelActivityResponse } from '../schema/channel-activity.js'

const MAX_DAYS = 90

/** `GET /admin/channels/{id}/activity` */
export const getChannelActivityOperation = defineAdminOperation({
  method: 'GET',
  path: 'channels/{id}/activity',
  summary: 'Fetch the activity of a channel by days',
  description:
    'Casts and replies below all parent URLs of the channel, by days of UTC, oldest first; days without casts have 0. ' +
    'The last day is today.',
  params: Type.Object({
    id: textParameter({ maxLength: 256, description: 'Id of the channel.', examples: ['gardening'] }),
  }),
  input: Type.Object({
    days: Type.Integer({ minimum: 1, maximum: MAX_DAYS, default: 28, description: 'Number of days.' }),
  }),
  reply: ChannelActivityResponse,
  notFound: 'There is no channel with this id.',

  async handle({ db, clock }, { days }, { id }) {
    await requireChannel(db, id, 'id')
    const today = Math.floor(farcasterSecondsFromUnixMs(clock()) / DAY_SECONDS)
    const casts = await readDailyCasts(db, id, today - days + 1)
    return {
      days: Array.from({ length: days }, (_, index) => {
        const day = today - days + 1 + index
        return { day: dateOf(day), casts: casts.get(day) ?? 0 }
      }),
    }
  },
})

/** The date of a day that is counted from the first of the protocol. */
function dateOf(day: number): string {
  return new Date(unixMsFromFarcasterSeconds(day * DAY_SECONDS)).toISOString().slice(0, 10)
}
