import { u64be } from '../bytes.js'
import { type LendStorageBody, MessageType, StorageUnitType } from '../definitions.js'
import { type MessageKind, MessageSet } from '../message-kind.js'
import { schema, single } from '../wire-schema.js'

const MAX_UNITS = 5000
/** Ended loans are not stored, so an old message could restore one; another hub would not have it. */
const MAX_AGE_SECONDS = 600

const bodySchema = schema({ 1: single('uint64'), 2: single('uint64'), 3: single('int32') })

/** LEND_STORAGE: lends storage units to another user; zero units end the loan. */
export const lendStorage: MessageKind<LendStorageBody> = {
  type: MessageType.LEND_STORAGE,
  set: MessageSet.lends,
  side: 'add',
  bodyName: 'lendStorageBody',
  wire: { field: 18, schema: bodySchema },
  // Limits: docs/protocol.md §3.3.
  validate(body, data, { now, isSynced }) {
    if (!isSynced && data.timestamp < now - MAX_AGE_SECONDS) return 'timestamp more than 10 mins in the past'
    if (!Object.values(StorageUnitType).includes(body.unitType)) return 'invalid storage unit type'
    return body.numUnits > MAX_UNITS ? 'num storage units too large' : null
  },
  conflictKey: (body) => u64be(body.toFid),
}
