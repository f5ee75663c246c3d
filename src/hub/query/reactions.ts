import { MessageType, type ReactionBody, ReactionType } from '@farcaster/core'
import type { Database } from '../../platform/db/connection.js'
import { reactionKey } from '../../protocol/kinds/reaction.js'
import { MessageSet } from '../../protocol/message-kind.js'
import { reactionTarget, type Target } from '../message-target.js'
import {
  type MessagePage,
  type MessagePageOptions,
  readMessage,
  readMessagePage,
  readSetPage,
} from './message-page.js'

/** The types that a request selects: all without a type, and for the type NONE. */
export function reactionTypesFor(type: ReactionType | null): ReactionType[] {
  return type === null || type === ReactionType.NONE ? [ReactionType.LIKE, ReactionType.RECAST] : [type]
}

/** Reads a user's reaction of one type to a target; null when there is none or it was removed. */
export function readReaction(db: Database, fid: number, reaction: ReactionBody): Promise<Buffer | null> {
  const key = reactionKey(reaction)
  return readMessage(db, { fid, set: MessageSet.reactions, key, type: MessageType.REACTION_ADD })
}

/** Reads a user's reactions of the given types. */
export function readReactionsByFid(
  db: Database,
  fid: number,
  reactionTypes: readonly ReactionType[],
  page: MessagePageOptions,
): Promise<MessagePage> {
  // A reaction's key starts with its type.
  const condition = db`get_byte(key, 0) = any (${[...reactionTypes]}::integer[])`
  return readSetPage(db, { fid, set: MessageSet.reactions, type: MessageType.REACTION_ADD, condition }, page)
}

/** Reads reactions of the given types to a target, in the order of their time. */
export function readReactionsByTarget(
  db: Database,
  target: Target,
  reactionTypes: readonly ReactionType[],
  page: MessagePageOptions,
): Promise<MessagePage> {
  const targets = db.types.byteas(reactionTypes.map((type) => reactionTarget(type, target)))
  return readMessagePage(
    db,
    page,
    // Reads a page of each type from the index, then merges them: `target = any (…)` would read all rows.
    ({ afterCursor, ordering }) => db`
      select found.ts, found.hash, found.message
      from unnest(${targets}::bytea[]) as asked (target)
      cross join lateral (
        select ts, hash, message
        from hub.messages m
        where m.target = asked.target
          and ${afterCursor}
        order by ${ordering}
      ) found
      order by ${ordering}
    `,
  )
}
