import { Type } from '@sinclair/typebox'
import { namedObject } from '../../../graph/view/schema/primitives.js'

const ChannelDay = Type.Object(
  {
    day: Type.String({
      pattern: '^\\d{4}-\\d\\d-\\d\\d$',
      description: 'A day in UTC.',
      examples: ['2026-05-01'],
    }),
    casts: Type.Integer({ minimum: 0, examples: [12] }),
  },
  { $id: 'ChannelDay', description: 'Activity of a channel on a day.' },
)

export const ChannelActivityResponse = namedObject('ChannelActivityResponse', {
  days: Type.Array(ChannelDay),
})
