import type { AccountRecovery } from './account-recovery.js'
import type { MessageData, MessageType } from './definitions.js'
import type { SignedMessage } from './message.js'
import type { Schema } from './wire-schema.js'

/** The sets of a user's messages (docs/protocol.md §4.1), with the numbers of `hub.messages.set`. */
export const MessageSet = {
  casts: 1,
  reactions: 2,
  links: 3,
  verifications: 4,
  userData: 5,
  usernameProofs: 6,
  lends: 7,
  keys: 8,
  /** Slots of channels, which all users share (docs/protocol.md §7.1.4): in `hub.channel_messages`. */
  channels: 9,
} as const
export type MessageSet = (typeof MessageSet)[keyof typeof MessageSet]

/** Context of validation besides the message. */
export interface ValidationContext {
  /** Network of the hub (docs/protocol.md §3.2); messages of another are refused. */
  readonly network: number
  /** Farcaster seconds. */
  readonly now: number
  /** The sender has the pro tier (docs/protocol.md §3.3.13). */
  readonly isPro: boolean
  /** Another hub accepted the message when it was new: no clock is asked about its timestamp (docs/protocol.md §4.14). */
  readonly isSynced: boolean
}

/** The refusal of content that breaks a rule without a text of its own. */
export const INVALID_DATA = 'Message data invalid'

/** The refusal of what needs the pro tier. */
export const PRO_REQUIRED = 'Pro subscription required'

/** Checks a second signature inside a body: separate, because it takes milliseconds. */
export type ClaimCheck<Body> = (
  body: Body,
  data: MessageData,
  message: Pick<SignedMessage, 'signer'>,
  recover: AccountRecovery,
) => Promise<string | null>

/** A member of `MessageData` that holds a body. */
export type BodyName = Extract<keyof MessageData, `${string}Body`>

/** The definition of a message type: an entry in a file of `kinds/` and a line in `message-kinds.ts`. */
export interface MessageKind<Body> {
  readonly type: MessageType
  /** Set in which the type is stored; null if it is only validated. */
  readonly set: MessageSet | null
  /** `compact`: one message that replaces many links. */
  readonly side: 'add' | 'remove' | 'compact'
  /** The member of `MessageData` that holds the body. */
  readonly bodyName: BodyName
  /** Field number of the body in `MessageData`, and its fields. */
  readonly wire: { readonly field: number; readonly schema: Schema }
  /** Largest `dataBytes` without the pro tier, if not `BASE_DATA_BYTES` (docs/protocol.md §3.3.1). */
  readonly maxDataBytes?: number
  /** Largest `dataBytes` of a pro account, if different. */
  readonly maxProDataBytes?: number
  /** Returns the rule that the body breaks, with the text of docs/protocol.md §3.4; null if none. */
  readonly validate: (body: Body, data: MessageData, context: ValidationContext) => string | null
  /** Returns true if the verdict on the body depends on the tier. */
  readonly requiresPro?: (body: Body, data: MessageData) => boolean
  readonly checkClaim?: ClaimCheck<Body>
  /** Most accounts that `checkClaim` recovers, if not one. */
  readonly claimRecoveries?: number
  /** Returns the key for which messages of (fid, set) compete (docs/protocol.md §4.1). */
  readonly conflictKey: (body: Body, message: Pick<SignedMessage, 'data' | 'hash'>) => Buffer
}

/** Returns the body of a kind; undefined when `data` carries another one. */
export function bodyOf<Body>(kind: MessageKind<Body>, data: MessageData): Body | undefined {
  return data[kind.bodyName] as Body | undefined
}

/** Largest `dataBytes` of a message type without a limit of its own, in bytes (docs/protocol.md §3.3.1). */
export const BASE_DATA_BYTES = 2048
