import { pageTokens, type TokenForm } from '../../page-token.js'
import type { MessagePage, MessagePageOptions } from '../../query/message-page.js'
import { type Parameters, refusal } from './parameters.js'

/** The place that the request's page token, which is base64 here, stands for; null without a token. */
export function placeAfter<Place>(parameters: Parameters, form: TokenForm<Place>): Place | null {
  const token = parameters.pageToken()
  if (!token) return null
  const place = form.read(token.bytes)
  if (place === null) throw refusal(token.name, 'is not a token that this list gave out')
  return place
}

/** Left out at the end of a list, as the reference node does for everything but messages. */
export function nextPageToken<Place>(last: Place | null, form: TokenForm<Place>): string | undefined {
  return last === null ? undefined : form.write(last).toString('base64')
}

/** The page of messages that a request asks for. */
export function messagePageOptions(parameters: Parameters): MessagePageOptions {
  return {
    limit: parameters.pageSize(),
    reverse: parameters.reverse,
    after: placeAfter(parameters, pageTokens.message),
  }
}

/** The token of a page of messages: always there, empty at the end (docs/protocol.md §2). */
export function messageToken(page: MessagePage): string {
  return nextPageToken(page.last, pageTokens.message) ?? ''
}
