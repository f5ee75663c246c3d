import { type CastId, MessageType, ReactionType } from '@farcaster/core'
import type { Database } from '../../platform/db/connection.js'
import { PlazaError } from '../../platform/errors.js'
import { validateUrl } from '../../protocol/kinds/target.js'
import type { Statement } from './author.js'
import { invalidParameterError, validationError } from './refusal.js'

/** A reaction to add or remove. */
export interface ReactionRequest {
  readonly type: 'like' | 'recast'
  /** The hash of a cast, or a URL. */
  readonly target: string
  readonly targetAuthorFid: number | undefined
}

const types = { like: ReactionType.LIKE, recast: ReactionType.RECAST } as const
const castHash = /^(?:0x)?([0-9a-f]{40})$/i
const urlScheme = /^[a-z][a-z0-9+.-]*:./i

/**
 * Builds the reaction message.
 *
 * @param action Whether to add or remove it.
 * @throws PlazaError That names the invalid member; `not_found` for an unknown cast without a given author.
 */
export async function draftReaction(
  db: Database,
  action: 'add' | 'remove',
  { type, target, targetAuthorFid }: ReactionRequest,
): Promise<Statement> {
  const digits = castHash.exec(target)?.[1]
  const reactionTarget =
    digits === undefined
      ? { targetUrl: targetUrl(target, targetAuthorFid) }
      : { targetCastId: await targetCast(db, Buffer.from(digits, 'hex'), targetAuthorFid) }
  return {
    type: action === 'add' ? MessageType.REACTION_ADD : MessageType.REACTION_REMOVE,
    reactionBody: { type: types[type], ...reactionTarget },
  }
}

function targetUrl(target: string, targetAuthorFid: number | undefined): string {
  if (!urlScheme.test(target)) {
    throw invalidParameterError('target', 'must be the hash of a cast, 40 hex digits, or a URL')
  }
  if (targetAuthorFid !== undefined) {
    throw invalidParameterError('target_author_fid', 'must not be given unless target is the hash of a cast')
  }
  const problem = validateUrl(target)
  if (problem !== null) throw validationError('target', problem)
  return target
}

/** Resolves the author of the target: a reaction names author and hash. */
async function targetCast(db: Database, hash: Buffer, targetAuthorFid: number | undefined): Promise<CastId> {
  const [row] = await db<{ fid: number }[]>`select fid from social.casts where hash = ${hash}`
  if (row && targetAuthorFid !== undefined && row.fid !== targetAuthorFid) {
    throw invalidParameterError('target_author_fid', `must be the author of the cast, ${row.fid}`)
  }
  const fid = row?.fid ?? targetAuthorFid
  if (fid === undefined || fid === 0) {
    throw new PlazaError(
      'not_found',
      'this server does not have the cast: set target_author_fid to react to it',
      {
        property: 'target',
      },
    )
  }
  return { fid, hash }
}
