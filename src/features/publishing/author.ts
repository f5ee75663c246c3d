import type { Hub } from '../../hub/hub.js'
import type { Database } from '../../platform/db/connection.js'
import { PlazaError, type Refusal } from '../../platform/errors.js'
import { MessageData } from '../../protocol/definitions.js'
import type { MessageContent, SignedMessage } from '../../protocol/message.js'
import type { MessageSigner } from '../../protocol/sign.js'
import { farcasterSecondsFromUnixMs } from '../../protocol/time.js'

/** A user and the key that signs for it. */
export interface Author {
  readonly fid: number
  readonly key: MessageSigner
}

/** Dependencies of publishing. */
export interface Publisher {
  readonly writerDb: Database
  readonly hub: Pick<Hub, 'submit'>
  /** FarcasterNetwork of the protocol. */
  readonly network: number
  /** Unix milliseconds. */
  readonly clock: () => number
}

/** Builds unsigned message data. Timestamps are Farcaster seconds. */
export function messageData(
  { network }: Pick<Publisher, 'network'>,
  { fid }: Pick<Author, 'fid'>,
  content: MessageContent,
  timestamp: number,
): MessageData {
  return MessageData.create({ ...content, fid, timestamp, network })
}

/** Signs a message of the author. */
export function signContent(
  publisher: Pick<Publisher, 'network'>,
  author: Author,
  content: MessageContent,
  timestamp: number,
): SignedMessage {
  return author.key.sign(messageData(publisher, author, content, timestamp))
}

/** Returns the current time in Farcaster seconds. */
export function farcasterNow({ clock }: Pick<Publisher, 'clock'>): number {
  return farcasterSecondsFromUnixMs(clock())
}

/** Builds the error for a broken protocol rule, in the protocol's words. */
export function validationError(property: string, message: string): PlazaError {
  return new PlazaError('bad_request.validation_failure', message, { property })
}

/** Whether another message of the user won the conflict; a later retry may succeed. */
export function isSuperseded(refusal: Refusal | null): boolean {
  return refusal?.code === 'bad_request.conflict' || refusal?.code === 'bad_request.prunable'
}

/** Whether the identical message is stored already. */
export function isDuplicate(refusal: Refusal | null): boolean {
  return refusal?.code === 'bad_request.duplicate'
}
