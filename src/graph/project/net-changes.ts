import { HubEventType, MessageType } from '@farcaster/core'
import type { HubEventBody } from '../../hub/log/hub-event.js'
import type { SignedMessage } from '../../protocol/message.js'

/** What a batch of events did to the adds that stand: the read model shows nothing else. */
export interface NetChanges {
  /** Stand now and did not before. */
  readonly added: readonly SignedMessage[]
  /** Stood before and do not now. */
  readonly removed: readonly SignedMessage[]
}

/** Types whose messages say that something is so; the others only take such a message away. */
const addTypes: ReadonlySet<MessageType> = new Set([
  MessageType.CAST_ADD,
  MessageType.REACTION_ADD,
  MessageType.LINK_ADD,
  MessageType.VERIFICATION_ADD_ETH_ADDRESS,
  MessageType.USER_DATA_ADD,
])

/**
 * Folds events, in their order, into what they changed. Merges tell what they displaced, prunes and revokes
 * what they took away, so no state is needed; a message that came and went within the batch is in neither list.
 */
export function netChanges(events: readonly { readonly body: HubEventBody }[]): NetChanges {
  const added = new Map<string, SignedMessage>()
  const removed = new Map<string, SignedMessage>()

  function add(message: SignedMessage): void {
    if (!addTypes.has(message.data.type)) return
    const name = message.hash.toString('hex')
    // The same may be said again with another key, which is shown.
    if (removed.get(name)?.signer.equals(message.signer)) removed.delete(name)
    else added.set(name, message)
  }
  function remove(message: SignedMessage): void {
    if (!addTypes.has(message.data.type)) return
    const name = message.hash.toString('hex')
    if (!added.delete(name)) removed.set(name, message)
  }

  for (const { body } of events) {
    if (body.type === HubEventType.MERGE_MESSAGE) {
      for (const message of body.deletedMessages) remove(message)
      add(body.message)
    } else if (body.type === HubEventType.PRUNE_MESSAGE || body.type === HubEventType.REVOKE_MESSAGE) {
      remove(body.message)
    }
  }
  return { added: [...added.values()], removed: [...removed.values()] }
}

/** The messages of one type. */
export function ofType(messages: readonly SignedMessage[], type: MessageType): SignedMessage[] {
  return messages.filter(({ data }) => data.type === type)
}
