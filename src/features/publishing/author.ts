import { MessageData } from '@farcaster/core'
import type { Hub } from '../../hub/hub.js'
import type { Database } from '../../platform/db/connection.js'
import type { SignedMessage } from '../../protocol/message.js'
import type { MessageSigner } from '../../protocol/sign.js'
import { farcasterSecondsFromUnixMs } from '../../protocol/time.js'

/** Who publishes: a user, by a key that may sign for it. */
export interface Author {
  readonly fid: number
  readonly key: MessageSigner
}

/** What publishing works with. */
export interface Publisher {
  readonly writerDb: Database
  readonly hub: Pick<Hub, 'submit'>
  /** FarcasterNetwork. */
  readonly network: number
  /** Unix milliseconds. */
  readonly clock: () => number
}

/** What a message says: its type, and the body of that type. */
export type Statement = Pick<MessageData, 'type'> &
  Partial<Omit<MessageData, 'type' | 'fid' | 'timestamp' | 'network'>>

/** The contents of a message, not yet signed. Timestamps are Farcaster seconds. */
export function messageData(
  { network }: Pick<Publisher, 'network'>,
  { fid }: Pick<Author, 'fid'>,
  statement: Statement,
  timestamp: number,
): MessageData {
  return MessageData.create({ ...statement, fid, timestamp, network })
}

/** Signs what the author says. */
export function signStatement(
  publisher: Pick<Publisher, 'network'>,
  author: Author,
  statement: Statement,
  timestamp: number,
): SignedMessage {
  return author.key.sign(messageData(publisher, author, statement, timestamp))
}

/** Farcaster seconds. */
export function farcasterNow({ clock }: Pick<Publisher, 'clock'>): number {
  return farcasterSecondsFromUnixMs(clock())
}
