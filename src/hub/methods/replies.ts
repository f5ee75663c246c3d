import { type LongReply, replyOf } from '../../platform/http/long-reply.js'
import { inSlices } from '../../platform/process/turns.js'
import type { TokenCodec } from '../page-token.js'
import { pageTokens } from '../page-token.js'
import { listReply } from '../protobuf.js'
import type { MessagePage } from '../query/message-page.js'
import { toWireMessage } from './grpc/wire-bytes.js'
import type { Reply } from './hub-method.js'
import { storedMessageJson } from './json/message.js'
import { storedOnChainEventJson } from './json/onchain-event.js'
import { transcodeMessages, transcodeOnChainEvents } from './json/transcode.js'
import { requireFound } from './refusals.js'

/** A stored message, or an error, worded as in the reference node, which calls reactions and links casts (docs/protocol.md §2). */
export function message(what: string): Reply<Buffer | null> {
  const found = (stored: Buffer | null) => requireFound(stored, `${what} not found`)
  return {
    json: (stored) => storedMessageJson(found(stored)),
    protobuf: (stored) => toWireMessage(found(stored)),
  }
}

/** A page of stored messages. Over HTTP the token is always there, empty at the end (docs/protocol.md §2). */
export const messages: Reply<MessagePage> = {
  json: async ({ messages: stored, last }) =>
    jsonPage('messages', await inSlices(stored, SLICE_MESSAGES, transcodeMessages), {
      nextPageToken: base64Token(encodeCursor(last, pageTokens.message)) ?? '',
    }),
  protobuf: async ({ messages: stored, last }) => {
    const wire = await inSlices(stored, SLICE_MESSAGES, (slice) => slice.map(toWireMessage))
    return listReply(wire.flat(), encodeCursor(last, pageTokens.message))
  },
}

/** Messages that are encoded in one turn of the event loop: 0.5 to 1 ms. */
const SLICE_MESSAGES = 100

/** A stored on-chain event, or an error. */
export function onChainEvent(notFound: string): Reply<Buffer | null> {
  return {
    json: (stored) => storedOnChainEventJson(requireFound(stored, notFound)),
    protobuf: (stored) => requireFound(stored, notFound),
  }
}

/** A page of stored on-chain events. */
export const onChainEvents: Reply<{
  readonly events: readonly Buffer[]
  readonly nextPageToken: Buffer | undefined
}> = {
  json: async ({ events, nextPageToken }) =>
    jsonPage('events', await inSlices(events, SLICE_MESSAGES, transcodeOnChainEvents), {
      nextPageToken: base64Token(nextPageToken),
    }),
  protobuf: ({ events, nextPageToken }) => listReply(events, nextPageToken),
}

const COMMA = Buffer.from(',')

/** Joins the slices of a list, which are JSON already, and the other members of the object. */
export function jsonPage(name: string, slices: readonly Buffer[], others: object): Buffer | LongReply {
  const parts: Buffer[] = [Buffer.from(`{"${name}":[`)]
  for (const slice of slices) parts.push(slice, COMMA)
  if (slices.length > 0) parts.pop()
  const rest = JSON.stringify(others).slice(1)
  parts.push(Buffer.from(rest === '}' ? ']}' : `],${rest}`))
  return replyOf(parts)
}

/** Encodes a cursor as the token of the next page; none at the end. */
export function encodeCursor<Cursor>(last: Cursor | null, codec: TokenCodec<Cursor>): Buffer | undefined {
  return last === null ? undefined : codec.encode(last)
}

/** A page token over HTTP. At the end, lists leave it out, except those of messages and of fids. */
export function base64Token(token: Buffer | undefined): string | undefined {
  return token?.toString('base64')
}
