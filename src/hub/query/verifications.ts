import { MessageType } from '@farcaster/core'
import type { Database } from '../../platform/db/connection.js'
import { MessageSet } from '../../protocol/message-kind.js'
import { type MessagePage, type MessagePageOptions, readMessage, readSetPage } from './message-page.js'

/** A user's verification of one address; null when there is none or it was removed. */
export function readVerification(db: Database, fid: number, address: Buffer): Promise<Buffer | null> {
  const type = MessageType.VERIFICATION_ADD_ETH_ADDRESS
  return readMessage(db, { fid, set: MessageSet.verifications, key: address, type })
}

/** The addresses that a user has verified and not removed; only the one with these bytes when given. */
export function readVerificationsByFid(
  db: Database,
  fid: number,
  address: Buffer | null,
  page: MessagePageOptions,
): Promise<MessagePage> {
  const condition = db`(${address}::bytea is null or key = ${address}::bytea)`
  const type = MessageType.VERIFICATION_ADD_ETH_ADDRESS
  return readSetPage(db, { fid, set: MessageSet.verifications, type, condition }, page)
}
