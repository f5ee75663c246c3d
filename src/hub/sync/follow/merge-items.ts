import type { Refusal } from '../../../platform/errors.js'
import { HubEvent, HubEventType, MessageType } from '../../../protocol/definitions.js'
import { decodeItem } from '../../archive/frame.js'
import type { MergeItem } from '../../merge/shard-writer.js'
import type { UpstreamEvent } from '../client/upstream-client.js'

/** Whether an item removes a key that a message granted. */
export function removesGaslessKey(item: MergeItem): boolean {
  return item.kind === 'message' && item.message.data.keyRemoveBody !== undefined
}

/** Converts an event to an item or a refusal, or null: prunes and revocations follow from the rules. */
export function toMergeItem({ type, bytes }: UpstreamEvent): MergeItem | Refusal | null {
  switch (type) {
    case HubEventType.MERGE_MESSAGE:
    case HubEventType.MERGE_ON_CHAIN_EVENT:
      return decodeItem(bytes)
    case HubEventType.MERGE_USERNAME_PROOF: {
      const body = HubEvent.decode(bytes).mergeUsernameProofBody
      // A pruned name proof has this type as well, with only the deleted proof.
      return body?.usernameProof || body?.usernameProofMessage ? decodeItem(bytes) : null
    }
    default:
      return null
  }
}

/**
 * Returns the name that a message of a user who is not selected proves; null for other items. As from a list of names, it comes
 * without its message, which needs a user who is known here: the former holder may be selected.
 */
export function provenName(item: MergeItem): MergeItem | null {
  if (item.kind !== 'message') return null
  const { type, usernameProofBody } = item.message.data
  if (type !== MessageType.USERNAME_PROOF || usernameProofBody === undefined) return null
  return { kind: 'nameTransfer', proof: usernameProofBody }
}
