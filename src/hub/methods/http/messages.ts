import { PlazaError } from '../../../platform/errors.js'
import type { MessagePage } from '../../query/message-page.js'
import { type MessageJson, storedMessageJson } from '../json/message.js'
import { messageToken } from './page-tokens.js'

/** A list of messages as the hub API answers it (docs/protocol.md §2). */
export function messageList(page: MessagePage): { messages: MessageJson[]; nextPageToken: string } {
  return { messages: page.messages.map(storedMessageJson), nextPageToken: messageToken(page) }
}

/** The message, or a 404. The reference node says "cast" of reactions and links, too (docs/protocol.md §2). */
export function foundMessage(message: Buffer | null, what = 'cast'): Buffer {
  if (message === null) throw new PlazaError('not_found', `${what} not found`)
  return message
}
