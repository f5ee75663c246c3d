import { schema, single } from '../wire-schema.js'

/** The wire forms of the channel bodies (docs/protocol.md §7.1), by field number in MessageData. */
export const channelSchemas = {
  21: schema({
    1: single('bytes'),
    2: single('string'),
    3: single('string'),
    4: single('string'),
    5: single('string'),
    6: single('string'),
    7: single('int32'),
    8: single('int32'),
  }),
  22: schema({ 1: single('bytes'), 2: single('uint64'), 3: single('int32') }),
  23: schema({ 1: single('bytes'), 2: single('bytes') }),
  24: schema({ 1: single('bytes'), 2: single('bytes'), 3: single('int32') }),
}
