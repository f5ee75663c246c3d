import type { MessageType } from '@farcaster/core'
import { decodeStoredMessage, encodeMessage } from '../../protocol/codec.js'
import type { SignedMessage } from '../../protocol/message.js'
import type { MessageSet } from '../../protocol/message-kind.js'

/** Where a message stands or would stand: one conflict key of one set of one user. */
export interface ConflictKey {
  readonly fid: number
  readonly set: MessageSet
  readonly key: Buffer
}

/** A message that stands in its slot. */
export interface StoredMessage extends ConflictKey {
  readonly type: MessageType
  /** Farcaster seconds. */
  readonly ts: number
  readonly hash: Buffer
  /** The encoded Message. */
  readonly encoded: Buffer
  /** The same, decoded; of rows from the database only when somebody asks, which is rare. */
  readonly message: () => SignedMessage
}

/** The name of a slot as a map key. */
export function conflictKeyId(conflictKey: ConflictKey): string {
  return `${conflictKey.fid}/${conflictKey.set}/${conflictKey.key.toString('latin1')}`
}

/** A message that arrives, as it would stand. */
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

/** A row of `hub.messages`, as it stands. */
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
