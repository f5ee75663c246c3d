import type { Database } from '../../platform/db/connection.js'
import { MessageType, ReactionType } from '../../protocol/definitions.js'
import type { MessageContent } from '../../protocol/message.js'
import { authorOfCast, parseCastHash, urlMember } from './cast-draft.js'

/** A reaction to add or remove. */
export interface ReactionRequest {
  readonly type: 'like' | 'recast'
  /** The hash of a cast, or a URL. */
  readonly target: string
  /** Without effect unless the target is the hash of a cast. */
  readonly targetAuthorFid: number | undefined
}

const types = { like: ReactionType.LIKE, recast: ReactionType.RECAST } as const

/**
 * Builds the reaction message.
 *
 * @throws PlazaError That names the invalid member; `not_found` for an unknown cast without a given author.
 */
export async function draftReaction(
  db: Database,
  action: 'add' | 'remove',
  { type, ...request }: ReactionRequest,
): Promise<MessageContent> {
  return {
    type: action === 'add' ? MessageType.REACTION_ADD : MessageType.REACTION_REMOVE,
    reactionBody: { type: types[type], ...(await targetOf(db, request)) },
  }
}

async function targetOf(db: Database, { target, targetAuthorFid }: Omit<ReactionRequest, 'type'>) {
  const hash = parseCastHash(target)
  if (hash !== null) {
    const [row] = await db<{ fid: number }[]>`select fid from social.casts where hash = ${hash}`
    return { targetCastId: { fid: authorOfCast('target', row?.fid, targetAuthorFid), hash } }
  }
  return { targetUrl: urlMember('target', target) }
}
