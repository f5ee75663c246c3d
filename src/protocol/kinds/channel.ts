import { optional, schema, single } from '../wire-schema.js'

/** The wire forms of the channel bodies (docs/protocol.md §7.1), by field number in MessageData. */
export const channelSchemas = {
  21: schema({
    1: single('bytes'),
    2: optional('string'),
    3: optional('string'),
    4: optional('string'),
    5: optional('string'),
    6: optional('string'),
    7: optional('int32'),
    8: optional('int32'),
  }),
  22: schema({ 1: single('bytes'), 2: single('uint64'), 3: single('int32') }),
  23: schema({ 1: single('bytes'), 2: single('bytes') }),
  24: schema({ 1: single('bytes'), 2: single('bytes'), 3: single('int32') }),
}
