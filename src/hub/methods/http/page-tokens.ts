import { pageTokens, type TokenCodec } from '../../page-token.js'
import type { MessagePage, MessagePageOptions } from '../../query/message-page.js'
import { type Parameters, refusal } from './parameters.js'

/** The place that the request's page token, which is base64 here, stands for; null without a token. */
export function decodePageToken<Cursor>(parameters: Parameters, codec: TokenCodec<Cursor>): Cursor | null {
  const token = parameters.pageToken()
  if (!token) return null
  const cursor = codec.decode(token.bytes)
  if (cursor === null) throw refusal(token.name, 'is not a token that this list gave out')
  return cursor
}

/** Left out at the end of a list, as the reference node does for everything but messages. */
export function nextPageToken<Cursor>(last: Cursor | null, codec: TokenCodec<Cursor>): string | undefined {
  return last === null ? undefined : codec.encode(last).toString('base64')
}

/** The page of messages that a request asks for. */
export function messagePageOptions(parameters: Parameters): MessagePageOptions {
  return {
    limit: parameters.pageSize(),
    reverse: parameters.reverse,
    after: decodePageToken(parameters, pageTokens.message),
  }
}

/** The token of a page of messages: always there, empty at the end (docs/protocol.md §2). */
export function messageToken(page: MessagePage): string {
  return nextPageToken(page.last, pageTokens.message) ?? ''
}
