import type { MessageType } from '@farcaster/core'
import type { Database } from '../../platform/db/connection.js'
import type { MessageSet } from '../../protocol/message-kind.js'
import { type MessagePage, type MessagePageOptions, readMessagePage } from './message-page.js'

/** Which of a user's messages are asked for. */
export interface MessagesAsked {
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
  { fid, set, types, from, to }: MessagesAsked,
  page: MessagePageOptions,
): Promise<MessagePage> {
  const given = types && [...types]
  return readMessagePage(
    db,
    page,
    ({ behind, inOrder }) => db`
      select ts, hash, message
      from hub.messages
      where fid = ${fid}::bigint
        and set = ${set}::smallint
        and (${given}::smallint[] is null or type = any (${given}::smallint[]))
        and ts >= ${from}::bigint
        and ts <= ${to}::bigint
        and ${behind}
      order by ${inOrder}
    `,
  )
}
