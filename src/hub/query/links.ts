import { MessageType } from '@farcaster/core'
import type { Database } from '../../platform/db/connection.js'
import { linkKey } from '../../protocol/kinds/link.js'
import { MessageSet } from '../../protocol/message-kind.js'
import { linkTarget } from '../message-target.js'
import {
  type MessagePage,
  type MessagePageOptions,
  readMessage,
  readSetPage,
  readTargetPage,
} from './message-page.js'

/** Reads a user's link of one type to another user; null when there is none or it was removed. */
export function readLink(
  db: Database,
  fid: number,
  linkType: string,
  targetFid: number,
): Promise<Buffer | null> {
  const key = linkKey(linkType, targetFid)
  return readMessage(db, { fid, set: MessageSet.links, key, type: MessageType.LINK_ADD })
}

/** Reads a user's links, of all types when none is given, without compact states. */
export function readLinksByFid(
  db: Database,
  fid: number,
  linkType: string | null,
  page: MessagePageOptions,
): Promise<MessagePage> {
  // A link's key is 0x01, the type, 0x00 and the target (conflict keys, docs/protocol.md §4.1).
  const keyStart = Buffer.from(linkType === null ? '\x01' : `\x01${linkType}\0`)
  const condition = db`substring(key for ${keyStart.length}::integer) = ${keyStart}::bytea`
  return readSetPage(db, { fid, set: MessageSet.links, type: MessageType.LINK_ADD, condition }, page)
}

/** Reads a user's compact states, at most one for each type of links. */
export function readCompactStatesByFid(
  db: Database,
  fid: number,
  page: MessagePageOptions,
): Promise<MessagePage> {
  return readSetPage(db, { fid, set: MessageSet.links, type: MessageType.LINK_COMPACT_STATE }, page)
}

/** Reads links of one type to a user. */
export function readLinksByTarget(
  db: Database,
  targetFid: number,
  linkType: string,
  page: MessagePageOptions,
): Promise<MessagePage> {
  return readTargetPage(db, linkTarget(linkType, targetFid), page)
}
