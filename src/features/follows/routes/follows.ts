import { Type } from '@sinclair/typebox'
import type { Caller } from '../../../api/caller.js'
import { fidParameter, listParameter } from '../../../api/parameters.js'
import { hexOf } from '../../../protocol/bytes.js'
import { defineOperation, type OperationContext } from '../../operation.js'
import { publishFollows } from '../../publishing/follows.js'
import { actAs, mayNotAct, signerUuidMember } from '../../publishing/routes/acting.js'
import { BulkFollowResponse } from '../schema/follow.js'

const MAX_TARGETS = 100

/** The body of both operations, as published clients send it. */
export const FollowReqBody = Type.Object({
  signer_uuid: signerUuidMember,
  target_fids: listParameter(fidParameter({ description: 'Fid of a user.', examples: [191] }), {
    maxItems: MAX_TARGETS,
    description: 'Fids of the users. Duplicates count once.',
  }),
})

/** Follows or unfollows users, with one result for each. */
async function changeFollows(
  context: OperationContext,
  action: 'follow' | 'unfollow',
  { signer_uuid: signerUuid, target_fids: targetFids }: (typeof FollowReqBody)['static'],
  caller: Caller,
): Promise<BulkFollowResponse> {
  const permission = action === 'follow' ? 'FOLLOW_USER' : 'UNFOLLOW_USER'
  return await actAs(context, { signerUuid, caller, permission }, async (author) => {
    const outcomes = await publishFollows(context, author, action, targetFids)
    return {
      success: outcomes.every(({ refusal }) => refusal === null),
      details: outcomes.map(({ targetFid, hash, refusal }) => ({
        success: refusal === null,
        target_fid: targetFid,
        hash: hash === null ? '' : hexOf(hash),
      })),
    }
  })
}

/** `POST user/follow` */
export const followUsers = defineOperation({
  method: 'POST',
  path: 'user/follow',
  tag: 'Follows',
  summary: 'Follow users',
  description:
    'Follows up to 100 users; `details` has one result for each, in the order of the request. Following a ' +
    'followed user succeeds. If no user can be followed, the reply is an error.',
  body: FollowReqBody,
  reply: BulkFollowResponse,
  forbidden: mayNotAct,
  notFound: 'There is no such signer, or none of the users exists.',

  handle: (context, body, caller) => changeFollows(context, 'follow', body, caller),
})

/** `DELETE user/follow` */
export const unfollowUsers = defineOperation({
  method: 'DELETE',
  path: 'user/follow',
  tag: 'Follows',
  summary: 'Unfollow users',
  description:
    'Unfollows up to 100 users; `details` has one result for each, in the order of the request. ' +
    'Unfollowing a user who is not followed succeeds.',
  body: FollowReqBody,
  reply: BulkFollowResponse,
  forbidden: mayNotAct,
  notFound: 'There is no such signer.',

  handle: (context, body, caller) => changeFollows(context, 'unfollow', body, caller),
})
