import { Type } from '@sinclair/typebox'
import type { Caller } from '../../../api/caller.js'
import { fidParameter, listParameter } from '../../../api/parameters.js'
import type { BulkFollowResponse } from '../../../graph/view/schema/publishing.js'
import { hexOf } from '../../../protocol/bytes.js'
import type { OperationContext } from '../../operation.js'
import { publishFollows } from '../../publishing/follows.js'
import { actAs, signerUuidMember } from '../../publishing/routes/acting.js'

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
export async function changeFollows(
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
