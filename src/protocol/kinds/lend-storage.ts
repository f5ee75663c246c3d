import { type LendStorageBody, type MessageData, MessageType, StorageUnitType } from '@farcaster/core'
import { u64be } from '../bytes.js'
import { type MessageKind, MessageSet, type ValidationContext } from '../message-kind.js'
import { BASE_DATA_BYTES } from './data-size.js'

const MAX_UNITS = 5000
/** Ended loans are forgotten at once, so an old message could bring one back. */
const MAX_AGE_SECONDS = 600

/** Lends units of storage to another user; zero units end the loan. */
export const lendStorage: MessageKind<LendStorageBody> = {
  type: MessageType.LEND_STORAGE,
  set: MessageSet.lends,
  side: 'add',
  body: (data) => data.lendStorageBody,
  maxDataBytes: BASE_DATA_BYTES,
  validate: validateLendStorage,
  conflictKey: (body) => u64be(body.toFid),
}

/** Limits: docs/protocol.md §3.3. */
function validateLendStorage(
  body: LendStorageBody,
  data: MessageData,
  context: ValidationContext,
): string | null {
  if (data.timestamp < context.now - MAX_AGE_SECONDS) return 'timestamp more than 10 mins in the past'
  if (!Object.values(StorageUnitType).includes(body.unitType)) return 'invalid storage unit type'
  return body.numUnits > MAX_UNITS ? 'num storage units too large' : null
}
