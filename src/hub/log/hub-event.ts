import { fromProtobuf, toProtobuf } from '../../protocol/codec.js'
import {
  type ChannelOwnerChangeCause,
  HubEvent as HubEventCodec,
  type HubEvent as HubEventProtobuf,
  HubEventType,
  type MergeUserNameProofBody,
  type Message,
  MessageType,
  type OnChainEvent,
  type UserNameProof,
} from '../../protocol/definitions.js'
import type { SignedMessage } from '../../protocol/message.js'

/** An event of the log before it has an id (docs/protocol.md §1.1). */
export type HubEventBody =
  | {
      readonly type: HubEventType.MERGE_MESSAGE
      readonly message: SignedMessage
      readonly deletedMessages: readonly SignedMessage[]
    }
  | { readonly type: HubEventType.PRUNE_MESSAGE; readonly message: SignedMessage }
  | { readonly type: HubEventType.REVOKE_MESSAGE; readonly message: SignedMessage }
  | {
      readonly type: HubEventType.MERGE_USERNAME_PROOF
      readonly usernameProof?: UserNameProof | undefined
      readonly deletedUsernameProof?: UserNameProof | undefined
      readonly usernameProofMessage?: SignedMessage | undefined
      readonly deletedUsernameProofMessage?: SignedMessage | undefined
    }
  | { readonly type: HubEventType.MERGE_ON_CHAIN_EVENT; readonly onChainEvent: OnChainEvent }
  | {
      /** The owner of a channel may have changed: ask again. */
      readonly type: HubEventType.CHANNEL_OWNER_CHANGE_HINT
      readonly channelKey: string
      /** The address in the registry. */
      readonly ownerAddress: Uint8Array
      readonly cause: ChannelOwnerChangeCause
    }
  | {
      readonly type: HubEventType.MERGE_FAILURE
      readonly message: SignedMessage
      readonly code: string
      readonly reason: string
    }
  | {
      readonly type: HubEventType.BLOCK_CONFIRMED
      readonly blockNumber: number
      readonly shardIndex: number
      /** Farcaster seconds. */
      readonly timestamp: number
      readonly blockHash: Buffer
      /** Number of events in the block, this one included. */
      readonly totalEvents: number
      /** Number of events by HubEventType. */
      readonly eventCountsByType: Record<number, number>
    }

/** Low bits of an event id that count events within a block (docs/protocol.md §1.3). */
const SEQUENCE_BITS = 14

/** Most events of a block, the confirmation included. */
export const MAX_BLOCK_EVENTS = 1 << SEQUENCE_BITS

/** Returns `block << 14 | sequence`. Uses arithmetic: bit operators are 32-bit. */
export function eventId(blockNumber: number, sequence: number): number {
  return blockNumber * MAX_BLOCK_EVENTS + sequence
}

/** Returns the block of an event id. */
export function blockOf(id: number): number {
  return Math.floor(id / MAX_BLOCK_EVENTS)
}

/** An event with its shard and id. */
export interface SequencedEvent {
  readonly shard: number
  readonly id: number
  /** Time of its block in Farcaster seconds. */
  readonly timestamp: number
  readonly body: HubEventBody
}

/** Encodes an event for storage. Its messages have `data_bytes` only; gRPC adds `data`. */
export function encodeHubEvent({ shard, id, timestamp, body }: SequencedEvent): Buffer {
  const blockNumber = blockOf(id)
  const event = HubEventCodec.create({ type: body.type, id, blockNumber, shardIndex: shard, timestamp })
  return Buffer.from(HubEventCodec.encode(withBody(event, body)).finish())
}

/** Encodes an event without its position in the log: what it says, and nothing else. */
export function encodeEventBody(body: HubEventBody): Uint8Array {
  return HubEventCodec.encode(withBody(HubEventCodec.create({ type: body.type }), body)).finish()
}

/** Decodes a stored event. */
export function decodeHubEvent(bytes: Buffer): HubEventProtobuf {
  return HubEventCodec.decode(bytes)
}

/** Decodes a stored event; null for one that cannot be decoded, as of a newer version. */
export function tryDecodeHubEvent(bytes: Buffer): HubEventProtobuf | null {
  try {
    return decodeHubEvent(bytes)
  } catch {
    return null
  }
}

/** Decodes a stored event into a body. A compact state has no deleted messages (docs/protocol.md §1.4). */
export function hubEventBody(bytes: Buffer): HubEventBody {
  const event = decodeHubEvent(bytes)
  switch (event.type) {
    case HubEventType.MERGE_MESSAGE:
      return {
        type: event.type,
        message: fromProtobuf(event.mergeMessageBody!.message!),
        deletedMessages: event.mergeMessageBody!.deletedMessages.map(fromProtobuf),
      }
    case HubEventType.PRUNE_MESSAGE:
      return { type: event.type, message: fromProtobuf(event.pruneMessageBody!.message!) }
    case HubEventType.REVOKE_MESSAGE:
      return { type: event.type, message: fromProtobuf(event.revokeMessageBody!.message!) }
    case HubEventType.MERGE_USERNAME_PROOF:
      return usernameProofBody(event.mergeUsernameProofBody!)
    case HubEventType.MERGE_ON_CHAIN_EVENT:
      return { type: event.type, onChainEvent: event.mergeOnChainEventBody!.onChainEvent! }
    case HubEventType.CHANNEL_OWNER_CHANGE_HINT:
      return { ...event.channelOwnerChangeHintBody!, type: event.type }
    case HubEventType.MERGE_FAILURE: {
      const { message, code, reason } = event.mergeFailure!
      return { type: event.type, message: fromProtobuf(message!), code, reason }
    }
    case HubEventType.BLOCK_CONFIRMED: {
      const body = event.blockConfirmedBody!
      return { ...body, type: event.type, blockHash: Buffer.from(body.blockHash) }
    }
    default:
      throw new Error(`the log holds an event of type ${event.type}`)
  }
}

function usernameProofBody(body: MergeUserNameProofBody): HubEventBody {
  return {
    type: HubEventType.MERGE_USERNAME_PROOF,
    usernameProof: body.usernameProof,
    deletedUsernameProof: body.deletedUsernameProof,
    usernameProofMessage: body.usernameProofMessage && fromProtobuf(body.usernameProofMessage),
    deletedUsernameProofMessage:
      body.deletedUsernameProofMessage && fromProtobuf(body.deletedUsernameProofMessage),
  }
}

function withBody(event: HubEventProtobuf, body: HubEventBody): HubEventProtobuf {
  switch (body.type) {
    case HubEventType.MERGE_MESSAGE:
      return {
        ...event,
        mergeMessageBody: { message: toProtobuf(body.message), deletedMessages: loggedDeletions(body) },
      }
    case HubEventType.PRUNE_MESSAGE:
      return { ...event, pruneMessageBody: { message: toProtobuf(body.message) } }
    case HubEventType.REVOKE_MESSAGE:
      return { ...event, revokeMessageBody: { message: toProtobuf(body.message) } }
    case HubEventType.MERGE_USERNAME_PROOF:
      return {
        ...event,
        mergeUsernameProofBody: {
          usernameProof: body.usernameProof,
          deletedUsernameProof: body.deletedUsernameProof,
          usernameProofMessage: body.usernameProofMessage && toProtobuf(body.usernameProofMessage),
          deletedUsernameProofMessage:
            body.deletedUsernameProofMessage && toProtobuf(body.deletedUsernameProofMessage),
        },
      }
    case HubEventType.MERGE_ON_CHAIN_EVENT:
      return { ...event, mergeOnChainEventBody: { onChainEvent: body.onChainEvent } }
    case HubEventType.CHANNEL_OWNER_CHANGE_HINT: {
      const { channelKey, ownerAddress, cause } = body
      return { ...event, channelOwnerChangeHintBody: { channelKey, ownerAddress, cause } }
    }
    case HubEventType.MERGE_FAILURE:
      return {
        ...event,
        mergeFailure: { message: toProtobuf(body.message), code: body.code, reason: body.reason },
      }
    case HubEventType.BLOCK_CONFIRMED:
      // The last field counts events of shard 0, which Plaza does not have.
      return { ...event, blockConfirmedBody: { ...body, maxBlockEventSeqnum: 0 } }
  }
}

/** Omits the deleted messages of a compact state, which may be thousands (docs/protocol.md §1.4). */
function loggedDeletions(body: Extract<HubEventBody, { type: HubEventType.MERGE_MESSAGE }>): Message[] {
  if (body.message.data.type === MessageType.LINK_COMPACT_STATE) return []
  return body.deletedMessages.map(toProtobuf)
}
