import type { Database } from '../../platform/db/connection.js'
import { MessageType, type ReactionBody, ReactionType } from '../../protocol/definitions.js'
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
 * Builds the message that adds a reaction.
 *
 * @throws PlazaError That names the invalid member; `not_found` for an unknown cast without a given author.
 */
export async function draftReaction(
  db: Database,
  { type, target, targetAuthorFid }: ReactionRequest,
): Promise<MessageContent> {
  const body = (reactionTarget: Pick<ReactionBody, 'targetCastId' | 'targetUrl'>) => ({
    type: MessageType.REACTION_ADD,
    reactionBody: { type: types[type], ...reactionTarget },
  })
  const hash = parseCastHash(target)
  if (hash === null) return body({ targetUrl: urlMember('target', target) })
  const [row] = await db<{ fid: number }[]>`select fid from social.casts where hash = ${hash}`
  return body({ targetCastId: { fid: authorOfCast('target', row?.fid, targetAuthorFid), hash } })
}

/**
 * Builds the message that removes a reaction of a user; null if nothing says whose the cast is, as then there is none.
 *
 * @throws PlazaError That names the invalid member.
 */
export async function draftReactionRemoval(
  db: Database,
  fid: number,
  { type, target, targetAuthorFid }: ReactionRequest,
): Promise<MessageContent | null> {
  const body = (reactionTarget: Pick<ReactionBody, 'targetCastId' | 'targetUrl'>) => ({
    type: MessageType.REACTION_REMOVE,
    reactionBody: { type: types[type], ...reactionTarget },
  })
  const hash = parseCastHash(target)
  if (hash === null) return body({ targetUrl: urlMember('target', target) })
  const found = await findReactionTarget(db, fid, { type: types[type], hash, targetAuthorFid })
  const targetFid = found.reactedFid ?? found.authorFid ?? targetAuthorFid
  return targetFid ? body({ targetCastId: { fid: targetFid, hash } }) : null
}

/**
 * Finds the author of a cast, and the fid that the user's own reaction to its hash names: it outlives the cast, and may
 * name another fid, if it is older than the cast. Of several it is the given one, or that of the author.
 *
 * @throws PlazaError For a given fid that is neither.
 */
async function findReactionTarget(
  db: Database,
  fid: number,
  {
    type,
    hash,
    targetAuthorFid = 0,
  }: { type: ReactionType; hash: Buffer; targetAuthorFid?: number | undefined },
): Promise<{ readonly authorFid: number | null; readonly reactedFid: number | null }> {
  const [found] = await db<{ authorFid: number | null; reactedFid: number | null }[]>`
    select
      author.fid as "authorFid",
      (
        select target_fid from social.reactions
        where fid = ${fid}::bigint and target_hash = ${hash} and type = ${type}::smallint
        order by target_fid = ${targetAuthorFid}::bigint desc, target_fid = author.fid desc nulls last
        limit 1
      ) as "reactedFid"
    from (select (select fid from social.casts where hash = ${hash} limit 1) as fid) author
  `
  const { authorFid, reactedFid } = found!
  if (authorFid !== null && reactedFid !== targetAuthorFid) authorOfCast('target', authorFid, targetAuthorFid)
  return { authorFid, reactedFid }
}
