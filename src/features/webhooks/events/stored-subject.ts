import { decodeStoredMessage, encodeMessage } from '../../../protocol/codec.js'
import type { CastSubject, EventSubject } from './webhook-event.js'

/** A subject as JSON holds it. */
export type StoredSubject =
  | Exclude<EventSubject, CastSubject>
  | {
      readonly type: 'cast'
      /** The encoded message, in base64. */
      readonly message: string
    }

/** Makes a subject ready to be stored. */
export function encodeSubject(subject: EventSubject): StoredSubject {
  if (subject.type !== 'cast') return subject
  return { type: 'cast', message: encodeMessage(subject.message).toString('base64') }
}

/** Reads a stored subject back. */
export function decodeSubject(stored: StoredSubject): EventSubject {
  if (stored.type !== 'cast') return stored
  return { type: 'cast', message: decodeStoredMessage(Buffer.from(stored.message, 'base64')) }
}
