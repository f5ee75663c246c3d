import { decodeStoredMessage, encodeMessage } from '../../protocol/codec.js'
import type { MessageType } from '../../protocol/definitions.js'
import type { SignedMessage } from '../../protocol/message.js'
import type { MessageSet } from '../../protocol/message-kind.js'

/** Key that messages conflict for, in one set of one user (docs/protocol.md §4.1). */
export interface ConflictKey {
  readonly fid: number
  readonly set: MessageSet
  readonly key: Buffer
}

/** A message that is stored, or about to be. */
export interface StoredMessage extends ConflictKey {
  readonly type: MessageType
  /** Farcaster seconds. */
  readonly ts: number
  readonly hash: Buffer
  readonly encoded: Buffer
  /** The decoded message. Rows of the database are decoded on the first call, which is rare. */
  readonly message: () => SignedMessage
}

/** Returns a conflict key as a map key. */
export function conflictKeyId(conflictKey: ConflictKey): string {
  return `${conflictKey.fid}/${conflictKey.set}/${conflictKey.key.toString('latin1')}`
}

/** Converts a message to its stored form. */
export function toStoredMessage(conflictKey: ConflictKey, message: SignedMessage): StoredMessage {
  return {
    ...conflictKey,
    type: message.data.type,
    ts: message.data.timestamp,
    hash: message.hash,
    encoded: encodeMessage(message),
    message: () => message,
  }
}

/** The columns of a `hub.messages` row that a merge needs. */
export interface StoredMessageRow {
  readonly fid: number
  readonly set: MessageSet
  readonly key: Buffer
  readonly type: MessageType
  readonly ts: number
  readonly hash: Buffer
  readonly message: Buffer
}

/** Converts a row of `hub.messages`. */
export function storedMessageFromRow(row: StoredMessageRow): StoredMessage {
  let decoded: SignedMessage | undefined
  return {
    fid: row.fid,
    set: row.set,
    key: row.key,
    type: row.type,
    ts: row.ts,
    hash: row.hash,
    encoded: row.message,
    message: () => {
      decoded ??= decodeStoredMessage(row.message)
      return decoded
    },
  }
}
