import { Type } from '@sinclair/typebox'
import type { Caller } from '../../../api/caller.js'
import { fidParameter, listParameter } from '../../../api/parameters.js'
import { BulkFollowResponse } from '../../../graph/view/schema/publishing.js'
import { hexOf } from '../../../protocol/bytes.js'
import { defineOperation, type OperationContext } from '../../operation.js'
import { publishFollows } from '../../publishing/follows.js'
import { actAs, mayNotAct, signerUuidMember } from '../../publishing/routes/acting.js'

const MAX_TARGETS = 100

/** Whom to follow or to unfollow, as the published client sends it. */
export const FollowReqBody = Type.Object({
  signer_uuid: signerUuidMember,
  target_fids: listParameter(fidParameter({ description: 'A user.' }), {
    maxItems: MAX_TARGETS,
    description: 'The users. One that is given twice counts once.',
  }),
})

/** Follows or unfollows all of them, and tells what became of each. */
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
  tag: 'Follow',
  summary: 'Follow users',
  description:
    'Up to 100 at once; `details` tells of each, in their order. Who is followed already counts as done. When none of ' +
    'them can be followed the answer is an error.',
  body: FollowReqBody,
  reply: BulkFollowResponse,
  forbidden: mayNotAct,
  notFound: 'There is no such signer, or none of the users.',

  handle: (context, body, caller) => changeFollows(context, 'follow', body, caller),
})

/** `DELETE user/follow` */
export const unfollowUsers = defineOperation({
  method: 'DELETE',
  path: 'user/follow',
  tag: 'Follow',
  summary: 'Unfollow users',
  description:
    'Up to 100 at once; `details` tells of each, in their order. Who is not followed counts as done.',
  body: FollowReqBody,
  reply: BulkFollowResponse,
  forbidden: mayNotAct,
  notFound: 'There is no such signer.',

  handle: (context, body, caller) => changeFollows(context, 'unfollow', body, caller),
})
