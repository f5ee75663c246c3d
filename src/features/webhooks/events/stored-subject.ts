import { decodeStoredMessage, encodeMessage } from '../../../protocol/codec.js'
import type { CastSubject, Subject } from './occurrence.js'

/** A subject as JSON holds it. */
export type StoredSubject =
  | Exclude<Subject, CastSubject>
  | {
      readonly type: 'cast'
      /** The encoded message, in base64. */
      readonly message: string
    }

/** Makes a subject ready to be stored. */
export function packSubject(subject: Subject): StoredSubject {
  if (subject.type !== 'cast') return subject
  return { type: 'cast', message: encodeMessage(subject.message).toString('base64') }
}

/** Reads a stored subject back. */
export function unpackSubject(stored: StoredSubject): Subject {
  if (stored.type !== 'cast') return stored
  return { type: 'cast', message: decodeStoredMessage(Buffer.from(stored.message, 'base64')) }
}
