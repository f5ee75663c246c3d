import type { MessageData, MessageType } from '@farcaster/core'
import type { AccountRecovery } from './account-recovery.js'
import type { SignedMessage } from './message.js'
import type { Schema } from './wire-schema.js'

/**
 * The sets that a user's messages live in. Limits of storage count per set, a message replaces another
 * only inside its set. The numbers are stored in `hub.messages.set`.
 */
export const MessageSet = {
  casts: 1,
  reactions: 2,
  links: 3,
  verifications: 4,
  userData: 5,
  usernameProofs: 6,
  lends: 7,
  keys: 8,
} as const
export type MessageSet = (typeof MessageSet)[keyof typeof MessageSet]

/** What a validation may look at besides the message. The clock is passed in. */
export interface ValidationContext {
  /** The hub's network (docs/protocol.md §3.2): messages of another are refused. */
  readonly network: number
  /** Farcaster seconds. */
  readonly now: number
}

/**
 * A second signature inside a body, over a claim: an Ethereum or Solana address that agrees to belong to
 * a fid, a name's owner, a custody address that grants a key. Checked apart because it costs milliseconds.
 */
export type ClaimCheck<Body> = (
  body: Body,
  data: MessageData,
  message: Pick<SignedMessage, 'signer'>,
  recover: AccountRecovery,
) => Promise<string | null>

/** A member of `MessageData` that holds a body. */
export type BodyName = Extract<keyof MessageData, `${string}Body`>

/**
 * Everything Plaza knows about one message type. One file per type defines one of these, and
 * `message-kinds.ts` lists them; a new type is a new file and a new line there.
 */
export interface MessageKind<Body> {
  readonly type: MessageType
  /** The set that it is stored in; null for messages that are only ever validated. */
  readonly set: MessageSet | null
  /** `compact` is a link compact state: one message that stands for many links. */
  readonly side: 'add' | 'remove' | 'compact'
  /** The member of `MessageData` that holds the body. */
  readonly bodyName: BodyName
  /** Field number of the body in `MessageData`, and its fields. */
  readonly wire: { readonly field: number; readonly schema: Schema }
  /** Largest allowed `dataBytes` for anybody, in bytes (docs/protocol.md §3.3.1). */
  readonly maxDataBytes: number
  /** Largest allowed `dataBytes` for a pro account, where it differs. */
  readonly maxProDataBytes?: number
  /** The rule that the body breaks, in the words of docs/protocol.md §3.4; null when it keeps them all. */
  readonly validate: (body: Body, data: MessageData, context: ValidationContext) => string | null
  /** True when only a pro account may send this body. The merge, which knows tiers, decides. */
  readonly requiresPro?: (body: Body, data: MessageData) => boolean
  readonly checkClaim?: ClaimCheck<Body>
  /** What it is about inside (fid, set): two messages with the same key compete, one stands. */
  readonly conflictKey: (body: Body, message: Pick<SignedMessage, 'data' | 'hash'>) => Buffer
}

/** Returns the body of a kind; undefined when `data` carries another one. */
export function bodyOf<Body>(kind: MessageKind<Body>, data: MessageData): Body | undefined {
  return data[kind.bodyName] as Body | undefined
}

/** Largest `dataBytes` of a message type without a limit of its own, in bytes (docs/protocol.md §3.3.1). */
export const BASE_DATA_BYTES = 2048
