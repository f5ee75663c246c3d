import type { Database } from '../../platform/db/connection.js'
import type { Refusal } from '../../platform/errors.js'
import type { SignedMessage } from '../../protocol/message.js'
import { checkSender } from './check-sender.js'
import { loadState } from './load.js'

/** Checks the sender of a message that is not merged, such as a frame action. Changes nothing. */
export async function readSenderRefusal(
  db: Database,
  message: SignedMessage,
  nowUnix: number,
): Promise<Refusal | null> {
  return await db.begin(async (transaction) => {
    const batch = { chainEvents: [], nameTransfers: [], messages: [message] }
    return checkSender(message, await loadState(transaction, batch, new Map(), nowUnix))
  })
}
