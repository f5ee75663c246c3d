import { type ErrorCode, type Refusal, refuse } from '../../platform/errors.js'
import { MessageType, ReactionType } from '../../protocol/definitions.js'
import type { SignedMessage } from '../../protocol/message.js'
import { bodyKindOf, isChannelType, typedKindOf } from '../../protocol/message-kinds.js'
import { isOfShardZero } from '../../protocol/shard.js'

/**
 * Checks that a message carries the body of its type, and that the type is stored (docs/protocol.md §4.12). The
 * texts are those of the reference node.
 * @param hasV21 Whether the network runs engine V21.
 */
export function checkType({ data }: SignedMessage, hasV21: boolean): Refusal | null {
  const kind = typedKindOf(data)
  if (kind === undefined) return mismatch(data, hasV21)
  if (kind.set === null) return invalidType
  return data.reactionBody?.type === ReactionType.NONE ? invalid('targetId provided without type') : null
}

const invalidType = invalid('invalid message type')

function invalid(text: string, code: ErrorCode = 'bad_request.validation_failure'): Refusal {
  return refuse(code, text)
}

function mismatch(data: SignedMessage['data'], hasV21: boolean): Refusal {
  if (bodyKindOf(data) === undefined) return withoutBody(data.type, hasV21)
  switch (data.type) {
    case MessageType.CAST_ADD:
    case MessageType.CAST_REMOVE:
      return invalid('Invalid cast body for remove key')
    case MessageType.REACTION_ADD:
    case MessageType.REACTION_REMOVE:
      return invalid('Invalid reaction body')
    case MessageType.LINK_ADD:
    case MessageType.LINK_REMOVE:
      return data.linkCompactStateBody
        ? invalid('link body not specified', 'bad_request.invalid_param')
        : noCompactBody
    case MessageType.LINK_COMPACT_STATE:
      return data.linkBody
        ? invalid('Invalid compact state message: No link compact state body')
        : noCompactBody
    case MessageType.USER_DATA_ADD:
      return invalid('UserDataAdd message missing body', 'bad_request.invalid_param')
    case MessageType.USERNAME_PROOF:
      return invalid('Message data body is missing')
    default:
      return invalidType
  }
}

const noCompactBody = invalid('link_compact_body not specified', 'bad_request.invalid_param')

/** Shard 0 of the reference node has another text for this. It knows channels from V21. */
function withoutBody(type: MessageType, hasV21: boolean): Refusal {
  const isKnown = hasV21 || !isChannelType(type)
  return isKnown && isOfShardZero(type, hasV21) ? invalid('message has no data') : invalidType
}
