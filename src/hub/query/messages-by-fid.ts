import type { MessageType } from '@farcaster/core'
import type { Database } from '../../platform/db/connection.js'
import type { MessageSet } from '../../protocol/message-kind.js'
import { type MessagePage, type MessagePageOptions, readMessagePage } from './message-page.js'

/** Which of a user's messages are asked for. */
export interface MessageFilter {
  readonly fid: number
  readonly set: MessageSet
  /** Null for all that the set holds. */
  readonly types: readonly MessageType[] | null
  /** Farcaster seconds, both included. */
  readonly from: number
  readonly to: number
}

/** What stands in one of a user's sets, removals too. */
export function readMessagesByFid(
  db: Database,
  { fid, set, types, from, to }: MessageFilter,
  page: MessagePageOptions,
): Promise<MessagePage> {
  const typeList = types && [...types]
  return readMessagePage(
    db,
    page,
    ({ afterCursor, ordering }) => db`
      select ts, hash, message
      from hub.messages
      where fid = ${fid}::bigint
        and set = ${set}::smallint
        and (${typeList}::smallint[] is null or type = any (${typeList}::smallint[]))
        and ts >= ${from}::bigint
        and ts <= ${to}::bigint
        and ${afterCursor}
      order by ${ordering}
    `,
  )
}
