import { MessageType, type ReactionType } from '@farcaster/core'
import { MessageSet } from '../../../protocol/message-kind.js'
import { readCast, readCastsByFid, readCastsByMention, readCastsByParent } from '../../query/casts.js'
import { readCompactStatesByFid, readLink, readLinksByFid, readLinksByTarget } from '../../query/links.js'
import { readMessagesByFid } from '../../query/messages-by-fid.js'
import {
  reactionTypesFor,
  readReaction,
  readReactionsByFid,
  readReactionsByTarget,
} from '../../query/reactions.js'
import { readUserData, readUserDataByFid } from '../../query/user-data.js'
import { readVerification, readVerificationsByFid } from '../../query/verifications.js'
import { reactionTypeNames, userDataTypeNames } from '../json/enum-names.js'
import type { HubGrpcApi, RequestOf, UnaryMethod } from './grpc-api.js'
import { method } from './method.js'
import { messageReply, messagesReply } from './replies.js'
import { addressOf, enumValueOf, fidOf, hashOf, messagePageOf, targetOf, textOf } from './request-fields.js'

/** Messages by what they are. */
export const messageMethods: readonly UnaryMethod[] = [
  method('getCast', async ({ fid, hash }, { db }) =>
    messageReply(await readCast(db, fidOf(fid), hashOf(hash))),
  ),
  method('getCastsByFid', async (request, { db }) =>
    messagesReply(await readCastsByFid(db, fidOf(request.fid), messagePageOf(request))),
  ),
  method('getCastsByParent', async (request, { db }) => {
    const parent = targetOf(request.parentCastId, request.parentUrl, 'parent')
    return messagesReply(await readCastsByParent(db, parent, messagePageOf(request)))
  }),
  method('getCastsByMention', async (request, { db }) =>
    messagesReply(await readCastsByMention(db, fidOf(request.fid), messagePageOf(request))),
  ),
  method('getReaction', getReaction),
  method('getReactionsByFid', async (request, { db }) => {
    const types = reactionTypesOf(request)
    return messagesReply(await readReactionsByFid(db, fidOf(request.fid), types, messagePageOf(request)))
  }),
  method('getReactionsByCast', listReactionsByTarget),
  method('getReactionsByTarget', listReactionsByTarget),
  method('getLink', async ({ fid, linkType, targetFid }, { db }) => {
    const type = textOf(linkType, 'link_type')
    return messageReply(await readLink(db, fidOf(fid), type, fidOf(targetFid, 'target_fid')), 'link')
  }),
  method('getLinksByFid', async (request, { db }) =>
    messagesReply(
      await readLinksByFid(db, fidOf(request.fid), request.linkType || null, messagePageOf(request)),
    ),
  ),
  method('getLinksByTarget', async (request, { db }) => {
    const type = textOf(request.linkType, 'link_type')
    const target = fidOf(request.targetFid, 'target_fid')
    return messagesReply(await readLinksByTarget(db, target, type, messagePageOf(request)))
  }),
  method('getLinkCompactStateMessageByFid', async (request, { db }) =>
    messagesReply(await readCompactStatesByFid(db, fidOf(request.fid), messagePageOf(request))),
  ),
  method('getUserData', async ({ fid, userDataType }, { db }) => {
    const type = enumValueOf(userDataType, userDataTypeNames, 'user_data_type')
    return messageReply(await readUserData(db, fidOf(fid), type), 'user data')
  }),
  method('getUserDataByFid', async (request, { db }) =>
    messagesReply(await readUserDataByFid(db, fidOf(request.fid), messagePageOf(request))),
  ),
  method('getVerification', async ({ fid, address }, { db }) =>
    messageReply(await readVerification(db, fidOf(fid), addressOf(address)), 'verification'),
  ),
  method('getVerificationsByFid', async (request, { db }) =>
    messagesReply(await readVerificationsByFid(db, fidOf(request.fid), null, messagePageOf(request))),
  ),
]

/** Everything that stands in a user's set, removals too: what a follower compares its own with. */
export const bulkMethods: readonly UnaryMethod[] = [
  allByFid('getAllCastMessagesByFid', MessageSet.casts),
  allByFid('getAllReactionMessagesByFid', MessageSet.reactions),
  // Compact states stand apart in the reference node, and have a method of their own.
  allByFid('getAllLinkMessagesByFid', MessageSet.links, [MessageType.LINK_ADD, MessageType.LINK_REMOVE]),
  allByFid('getAllVerificationMessagesByFid', MessageSet.verifications),
  allByFid('getAllUserDataMessagesByFid', MessageSet.userData),
  allByFid('getAllLendStorageMessagesByFid', MessageSet.lends),
]

function allByFid(
  name: Extract<UnaryMethod['name'], `getAll${string}`>,
  set: MessageSet,
  types: readonly MessageType[] | null = null,
): UnaryMethod {
  return method(name, async (request, { db }) => {
    const filter = {
      fid: fidOf(request.fid),
      set,
      types,
      from: request.startTimestamp ?? 0,
      to: request.stopTimestamp ?? Number.MAX_SAFE_INTEGER,
    }
    return messagesReply(await readMessagesByFid(db, filter, messagePageOf(request)))
  })
}

async function getReaction(request: RequestOf<'getReaction'>, { db }: HubGrpcApi): Promise<Uint8Array> {
  const target = targetOf(request.targetCastId, request.targetUrl, 'target')
  const message = await readReaction(db, fidOf(request.fid), {
    type: enumValueOf(request.reactionType, reactionTypeNames, 'reaction_type'),
    targetCastId: 'castId' in target ? target.castId : undefined,
    targetUrl: 'url' in target ? target.url : undefined,
  })
  return messageReply(message, 'reaction')
}

async function listReactionsByTarget(
  request: RequestOf<'getReactionsByTarget'>,
  { db }: HubGrpcApi,
): Promise<Uint8Array> {
  const target = targetOf(request.targetCastId, request.targetUrl, 'target')
  const types = reactionTypesOf(request)
  return messagesReply(await readReactionsByTarget(db, target, types, messagePageOf(request)))
}

function reactionTypesOf({
  reactionType,
}: {
  readonly reactionType?: ReactionType | undefined
}): ReactionType[] {
  if (reactionType === undefined) return reactionTypesFor(null)
  return reactionTypesFor(enumValueOf(reactionType, reactionTypeNames, 'reaction_type'))
}
