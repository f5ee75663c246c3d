import { HubEvent, HubEventType } from '@farcaster/core'
import type { Refusal } from '../../../platform/errors.js'
import { decodeItem } from '../../archive/frame.js'
import type { MergeItem } from '../../merge/shard-writer.js'
import type { UpstreamEvent } from '../client/event-stream.js'

/**
 * What an event of an upstream asks to be merged: a message, a transfer of a name or an event of a chain, or why it
 * cannot be read; null for the rest. What the upstream has pruned and revoked follows here from the same rules.
 */
export function toMergeItem({ type, bytes }: UpstreamEvent): MergeItem | Refusal | null {
  switch (type) {
    case HubEventType.MERGE_MESSAGE:
    case HubEventType.MERGE_ON_CHAIN_EVENT:
      return decodeItem(bytes)
    case HubEventType.MERGE_USERNAME_PROOF: {
      const body = HubEvent.decode(bytes).mergeUsernameProofBody
      // A name proof that is pruned has an event of this type, too, which only tells what is gone.
      return body?.usernameProof || body?.usernameProofMessage ? decodeItem(bytes) : null
    }
    default:
      return null
  }
}
