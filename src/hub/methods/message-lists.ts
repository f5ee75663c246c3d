import type { MessageType } from '../../protocol/definitions.js'
import type { MessageSet } from '../../protocol/message-kind.js'
import { readMessagesByFid, readMessagesOfType } from '../query/message-page.js'
import { fid, messagePage, startTimestamp, stopTimestamp } from './fields.js'
import type { GrpcName } from './grpc/request.js'
import { type HttpRoute, type ReadMethod, readMethod } from './hub-method.js'
import { messages } from './replies.js'

/** A method with a user's messages of one type. */
export function messagesOfType({
  type,
  ...common
}: {
  readonly http?: HttpRoute
  readonly grpc: GrpcName
  readonly type: MessageType
}): ReadMethod {
  return readMethod({
    ...common,
    request: { fid, page: messagePage },
    reply: messages,
    handle: ({ fid, page }, { db }) => readMessagesOfType(db, fid, type, page),
  })
}

/** A method with all messages of a user's set, removals included, for followers to compare. */
export function messagesOfSet({
  set,
  types = null,
  ...common
}: {
  readonly http?: HttpRoute
  readonly grpc: Extract<GrpcName, `getAll${string}`>
  readonly set: MessageSet
  /** Null for all types that the set holds. */
  readonly types?: readonly MessageType[] | null
}): ReadMethod {
  return readMethod({
    ...common,
    request: { fid, from: startTimestamp, to: stopTimestamp, page: messagePage },
    reply: messages,
    handle: ({ page, ...filter }, { db }) => readMessagesByFid(db, { ...filter, set, types }, page),
  })
}
