import type { Database } from '../../platform/db/connection.js'
import type { Refusal } from '../../platform/errors.js'
import type { SignedMessage } from '../../protocol/message.js'
import { farcasterSecondsFromUnixSeconds } from '../../protocol/time.js'
import { checkSender, isSignedByGaslessKey } from './check-sender.js'
import { checkExpiry } from './gasless-keys.js'
import { loadState } from './load.js'

/** Checks the sender of a message that is not merged, such as a frame action. Changes nothing. */
export async function readSenderRefusal(
  db: Database,
  message: SignedMessage,
  { nowUnix, network }: { readonly nowUnix: number; readonly network: number },
): Promise<Refusal | null> {
  return await db.begin(async (transaction) => {
    const batch = { chainEvents: [], nameTransfers: [], messages: [message] }
    const state = await loadState(transaction, batch, new Map(), nowUnix, network)
    const refusal = checkSender(message, state)
    if (refusal || !isSignedByGaslessKey(message, state)) return refusal
    return checkExpiry(message, state.keys, farcasterSecondsFromUnixSeconds(nowUnix))
  })
}
