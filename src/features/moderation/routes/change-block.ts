import { MessageType } from '@farcaster/core'
import { Type } from '@sinclair/typebox'
import type { Caller } from '../../../api/caller.js'
import { invalidField } from '../../../api/invalid-field.js'
import type { OperationResponse } from '../../../graph/view/schema/operation-response.js'
import type { OperationContext } from '../../operation.js'
import { publishChange } from '../../publishing/changes.js'
import { actAs, signerUuidMember } from '../../publishing/routes/acting.js'
import { fidMember, requireUsers } from './relation-body-members.js'

/** Whom to block, as the published client sends it. */
export const BlockReqBody = Type.Object({
  signer_uuid: signerUuidMember,
  blocked_fid: fidMember('Whom to block.'),
})

/** Blocks and their ends are messages of the protocol: links of this type. */
const linkType = 'block'

/** Blocks somebody, or no longer. What is so already stays as it is. */
export async function changeBlock(
  context: OperationContext,
  action: 'block' | 'unblock',
  { signer_uuid: signerUuid, blocked_fid: targetFid }: (typeof BlockReqBody)['static'],
  caller: Caller,
): Promise<OperationResponse> {
  return await actAs(context, { signerUuid, caller, permission: 'any write' }, async (author) => {
    if (author.fid === targetFid) throw invalidField('blocked_fid', 'must be another user')
    // Who has gone from here can still be unblocked.
    if (action === 'block') await requireUsers(context.writerDb, [targetFid], 'blocked_fid')
    const type = action === 'block' ? MessageType.LINK_ADD : MessageType.LINK_REMOVE
    await publishChange(context, author, { type, linkBody: { type: linkType, targetFid } })
    return { success: true, message: action === 'block' ? 'blocked' : 'not blocked' }
  })
}
