import { MessageType } from '@farcaster/core'
import type { Database } from '../../platform/db/connection.js'
import { MessageSet } from '../../protocol/message-kind.js'
import { castParentTarget, type Target } from '../message-target.js'
import {
  type MessagePage,
  type MessagePageOptions,
  readMessage,
  readMessagePage,
  readSetPage,
  readTargetPage,
} from './message-page.js'

/** Reads a cast by its author and hash; null when there is none or it was removed. */
export function readCast(db: Database, fid: number, hash: Buffer): Promise<Buffer | null> {
  return readMessage(db, { fid, set: MessageSet.casts, key: hash, type: MessageType.CAST_ADD })
}

/** Reads a user's casts, without removals. */
export function readCastsByFid(db: Database, fid: number, page: MessagePageOptions): Promise<MessagePage> {
  return readSetPage(db, { fid, set: MessageSet.casts, type: MessageType.CAST_ADD }, page)
}

/** Reads replies to a cast, or casts below a URL. */
export function readCastsByParent(
  db: Database,
  parent: Target,
  page: MessagePageOptions,
): Promise<MessagePage> {
  return readTargetPage(db, castParentTarget(parent), page)
}

/** Reads casts that mention a user. */
export function readCastsByMention(
  db: Database,
  fid: number,
  page: MessagePageOptions,
): Promise<MessagePage> {
  return readMessagePage(
    db,
    page,
    ({ afterCursor, ordering }) => db`
      select m.ts, m.hash, m.message
      from (
        select ts, hash, fid
        from hub.cast_mentions
        where mentioned_fid = ${fid}::bigint
          and ${afterCursor}
        order by ${ordering}
      ) mention
      join hub.messages m
        on m.fid = mention.fid and m.set = ${MessageSet.casts}::smallint and m.key = mention.hash
    `,
  )
}
