import type { Database } from '../../platform/db/connection.js'
import type { Refusal } from '../../platform/errors.js'
import type { AccountRecovery } from '../../protocol/account-recovery.js'
import type { SignedMessage } from '../../protocol/message.js'
import type { MergeBatch } from './batch.js'
import { checkSender, isSignedByGaslessKey } from './check-sender.js'
import { checkExpiry } from './keys/key-checks.js'
import { recoverKeyClaims } from './keys/key-claims.js'
import { loadState } from './load.js'
import { decideMessages } from './merge.js'
import { locksAllShards } from './rules.js'

/** The time and the network by which messages are checked. */
interface BatchContext {
  readonly nowUnix: number
  readonly network: number
}

/** Checks the sender of a message that is not merged, such as a frame action. Changes nothing. */
export async function readSenderRefusal(
  db: Database,
  message: SignedMessage,
  { nowUnix, network }: BatchContext,
): Promise<Refusal | null> {
  return await db.begin(async (transaction) => {
    const batch = { chainEvents: [], nameTransfers: [], messages: [message] }
    const state = await loadState(transaction, batch, new Map(), nowUnix, network)
    const refusal = checkSender(message, state)
    if (refusal || !isSignedByGaslessKey(message, state)) return refusal
    return checkExpiry(message, state.keys, state.now)
  })
}

/**
 * Decides the messages of a submission without a lock, and returns the refusals of those that would lock all shards, aligned
 * with them: a stranger must not make the writers of all shards wait only to be refused. Changes nothing. The merge decides
 * about the rest, since what is stored may change before it.
 */
export async function readEarlyRefusals(
  db: Database,
  batch: Pick<MergeBatch, 'messages' | 'unconfirmed' | 'confirmedProofs'>,
  { nowUnix, network, recover }: BatchContext & { readonly recover: AccountRecovery },
): Promise<(Refusal | null)[]> {
  const { messages } = batch
  if (!messages.some(locksAllShards)) return []
  const keyClaims = await recoverKeyClaims(messages, recover)
  return await db.begin(async (transaction) => {
    const whole = { chainEvents: [], nameTransfers: [], ...batch }
    const state = await loadState(transaction, whole, keyClaims, nowUnix, network)
    const refusals = await decideMessages(messages, state)
    return refusals.map((refusal, index) => (locksAllShards(messages[index]!) ? refusal : null))
  })
}
