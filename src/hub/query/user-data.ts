import { MessageType, type UserDataType } from '@farcaster/core'
import type { Database } from '../../platform/db/connection.js'
import { MessageSet } from '../../protocol/message-kind.js'
import { type MessagePage, type MessagePageOptions, readMessage, readSetPage } from './message-page.js'

/** One field of a user's profile; null when it was never set. */
export function readUserData(db: Database, fid: number, type: UserDataType): Promise<Buffer | null> {
  return readMessage(db, {
    fid,
    set: MessageSet.userData,
    key: Buffer.of(type),
    type: MessageType.USER_DATA_ADD,
  })
}

/** All fields of a user's profile. */
export function readUserDataByFid(db: Database, fid: number, page: MessagePageOptions): Promise<MessagePage> {
  return readSetPage(db, { fid, set: MessageSet.userData, type: MessageType.USER_DATA_ADD }, page)
}
