import type { HubEventBody } from '../../hub/log/hub-event.js'
import { HubEventType, MessageType } from '../../protocol/definitions.js'
import type { SignedMessage } from '../../protocol/message.js'

/** The net effect of a batch of events on stored add messages. The read model shows nothing else. */
export interface NetChanges {
  /** Stored now and not before. */
  readonly added: readonly SignedMessage[]
  /** Stored before and not now. */
  readonly removed: readonly SignedMessage[]
}

/** The types of messages that add something. The other types only remove such a message. */
const addTypes: ReadonlySet<MessageType> = new Set([
  MessageType.CAST_ADD,
  MessageType.REACTION_ADD,
  MessageType.LINK_ADD,
  MessageType.VERIFICATION_ADD_ETH_ADDRESS,
  MessageType.USER_DATA_ADD,
])

/**
 * Reduces events, in order, to their net changes. Merges name the messages that they replace, prunes and
 * revokes those that they remove, so it reads no state. A message that is added and removed in one batch is
 * in neither list.
 */
export function netChanges(events: readonly { readonly body: HubEventBody }[]): NetChanges {
  const added = new Map<string, SignedMessage>()
  const removed = new Map<string, SignedMessage>()

  function add(message: SignedMessage): void {
    const name = message.hash.toString('hex')
    // The same message may be merged again, signed by another key; the key is shown.
    if (removed.get(name)?.signer.equals(message.signer)) removed.delete(name)
    else added.set(name, message)
  }
  function remove(message: SignedMessage): void {
    const name = message.hash.toString('hex')
    if (!added.delete(name)) removed.set(name, message)
  }

  for (const { message, isRemoval } of messageChanges(events)) {
    if (isRemoval) remove(message)
    else add(message)
  }
  return { added: [...added.values()], removed: [...removed.values()] }
}

/** An add message that an event stores or removes. */
export interface MessageChange {
  readonly message: SignedMessage
  readonly isRemoval: boolean
}

/** The changes of stored add messages by events, in their order: also those that a later one undoes. */
export function* messageChanges(
  events: readonly { readonly body: HubEventBody }[],
): Generator<MessageChange> {
  for (const { body } of events) {
    if (body.type === HubEventType.MERGE_MESSAGE) {
      for (const message of body.deletedMessages)
        if (addTypes.has(message.data.type)) yield { message, isRemoval: true }
      if (addTypes.has(body.message.data.type)) yield { message: body.message, isRemoval: false }
    } else if (body.type === HubEventType.PRUNE_MESSAGE || body.type === HubEventType.REVOKE_MESSAGE) {
      if (addTypes.has(body.message.data.type)) yield { message: body.message, isRemoval: true }
    }
  }
}

/** The messages of one type. */
export function ofType(messages: readonly SignedMessage[], type: MessageType): SignedMessage[] {
  return messages.filter(({ data }) => data.type === type)
}
