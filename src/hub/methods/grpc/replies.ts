import { PlazaError } from '../../../platform/errors.js'
import { pageTokens, type TokenCodec } from '../../page-token.js'
import type { MessagePage } from '../../query/message-page.js'
import { type BytesField, encodeFields } from './encoding.js'
import { toWireMessage } from './wire-bytes.js'

/** Every list of the service has its items in field 1 and the token of the next page in field 2. */
const ITEMS = 1
const NEXT_PAGE_TOKEN = 2

/** A page of encoded items; the token is left out at the end. */
export function listReply(items: readonly Uint8Array[], nextPageToken: Uint8Array | undefined): Buffer {
  const fields: BytesField[] = items.map((bytes) => ({ number: ITEMS, bytes }))
  if (nextPageToken) fields.push({ number: NEXT_PAGE_TOKEN, bytes: nextPageToken })
  return encodeFields(fields)
}

/** MessagesResponse. */
export function messagesReply({ messages, last }: MessagePage): Buffer {
  return listReply(messages.map(toWireMessage), pageTokenOf(last, pageTokens.message))
}

/** The token of the page behind this place; none at the end. */
export function pageTokenOf<Cursor>(last: Cursor | null, codec: TokenCodec<Cursor>): Buffer | undefined {
  return last === null ? undefined : codec.encode(last)
}

/** Message. The reference node says "cast" of reactions and links, too (docs/protocol.md §2). */
export function messageReply(message: Buffer | null, what = 'cast'): Buffer {
  return toWireMessage(requireFound(message, `${what} not found`))
}

/** @throws PlazaError `not_found` without it. */
export function requireFound(stored: Buffer | null, message: string): Buffer {
  if (stored === null) throw new PlazaError('not_found', message)
  return stored
}
