import { Type } from '@sinclair/typebox'
import type { Caller } from '../../../api/caller.js'
import { cursorKind, keyPart } from '../../../api/cursor.js'
import { invalidField } from '../../../api/invalid-field.js'
import { listJson } from '../../../api/list-json.js'
import { fidParameter, pagingParameters } from '../../../api/parameters.js'
import { dateTimeOf } from '../../../graph/view/formats.js'
import { json, noJson } from '../../../graph/view/json.js'
import { OperationResponse } from '../../../graph/view/schema/operation-response.js'
import { MessageType } from '../../../protocol/definitions.js'
import { unixSecondsFromFarcasterSeconds } from '../../../protocol/time.js'
import { defineOperation, type Operation, type OperationContext } from '../../operation.js'
import { publishChange } from '../../publishing/changes.js'
import { actAs, mayNotAct, signerUuidMember } from '../../publishing/routes/acting.js'
import { blockedSince, listRelations, requireUsers } from '../relations.js'
import { BlockListResponse } from '../schema/relation.js'

/** The body of both operations, as published clients send it. */
export const BlockReqBody = Type.Object({
  signer_uuid: signerUuidMember,
  blocked_fid: fidParameter({ minimum: 0, description: 'Fid to block or unblock.', examples: [191] }),
})

/** The protocol stores blocks as links of this type. */
const linkType = 'block'

/** Publishes a block or its removal. A repeated request succeeds. */
async function changeBlock(
  context: OperationContext,
  action: 'block' | 'unblock',
  { signer_uuid: signerUuid, blocked_fid: targetFid }: (typeof BlockReqBody)['static'],
  caller: Caller,
): Promise<OperationResponse> {
  return await actAs(context, { signerUuid, caller, permission: 'WRITE_ALL' }, async (author) => {
    if (author.fid === targetFid) throw invalidField('blocked_fid', 'must be another user')
    // An unregistered user can still be unblocked.
    if (action === 'block') await requireUsers(context.writerDb, [targetFid], 'blocked_fid')
    const type = action === 'block' ? MessageType.LINK_ADD : MessageType.LINK_REMOVE
    await publishChange(context, author, { type, linkBody: { type: linkType, targetFid } })
    return { success: true, message: action === 'block' ? 'blocked' : 'not blocked' }
  })
}

/** `POST block` */
const block = defineOperation({
  method: 'POST',
  path: 'block',
  tag: 'Moderation',
  summary: 'Block fid',
  description:
    'Hides the two users from each other in lists. Blocks are public messages of the protocol. Blocking a ' +
    'blocked user succeeds.',
  example: { reply: { success: true, message: 'blocked' } },
  body: BlockReqBody,
  reply: OperationResponse,
  notFound: 'There is no such signer or user.',
  forbidden: mayNotAct,

  handle: (context, body, caller) => changeBlock(context, 'block', body, caller),
})

/** `DELETE block` */
const unblock = defineOperation({
  method: 'DELETE',
  path: 'block',
  tag: 'Moderation',
  summary: 'Unblock fid',
  description: 'Ends a block. Unblocking a user who is not blocked succeeds.',
  example: { reply: { success: true, message: 'not blocked' } },
  body: BlockReqBody,
  reply: OperationResponse,
  notFound: 'There is no such signer.',
  forbidden: mayNotAct,

  handle: (context, body, caller) => changeBlock(context, 'unblock', body, caller),
})

const byBlocked = cursorKind('blocked by a user', keyPart.integer, keyPart.integer)
const byBlocker = cursorKind('blockers of a user', keyPart.integer, keyPart.integer)

const blockListQuery = Type.Object({
  blocker_fid: Type.Optional(fidParameter({ description: 'Fid of the blocking user.' })),
  blocked_fid: Type.Optional(fidParameter({ description: 'Fid of the blocked user.', examples: [] })),
  ...pagingParameters(100, 20),
})

/** `GET block/list` */
const blockList = defineOperation({
  method: 'GET',
  path: 'block/list',
  isPublic: true,
  tag: 'Moderation',
  summary: 'Fetch blocked or blocking fids',
  description:
    'Newest first. `blocker_fid` or `blocked_fid` is required; with both, the reply has the one block ' +
    'between them, if there is one.',
  query: blockListQuery,
  reply: BlockListResponse,

  async handle({ db, hydrator }, query) {
    const { page, next } = await pageOf(db, query)
    const blocks = page.map(({ fid, since }) => ({
      blockerFid: query.blocker_fid ?? fid,
      blockedFid: query.blocker_fid === undefined ? query.blocked_fid! : fid,
      blockedAt: dateTimeOf(unixSecondsFromFarcasterSeconds(since)),
    }))
    const users = await hydrator.users(
      blocks.flatMap(({ blockerFid, blockedFid }) => [blockerFid, blockedFid]),
    )
    const records = blocks.map(({ blockerFid, blockedFid, blockedAt }) => {
      const [blocker, blocked] = [users.get(blockerFid), users.get(blockedFid)]
      const blockerMember = blocker ? json`,"blocker":${blocker}` : noJson
      const blockedMember = blocked ? json`,"blocked":${blocked}` : noJson
      return json`{"object":"block"${blockerMember}${blockedMember},"blocked_at":${blockedAt}}`
    })
    return listJson('blocks', records, next)
  },
})

async function pageOf(
  db: OperationContext['db'],
  { blocker_fid, blocked_fid, limit, cursor }: (typeof blockListQuery)['static'],
) {
  if (blocker_fid !== undefined && blocked_fid !== undefined) {
    // A single block has no second page.
    if (cursor !== undefined)
      throw invalidField('cursor', 'cannot be used with both blocker_fid and blocked_fid')
    const since = await blockedSince(db, blocker_fid, blocked_fid)
    return { page: since === null ? [] : [{ fid: blocked_fid, since }], next: { cursor: null } }
  }
  const owner = blocker_fid ?? blocked_fid
  if (owner === undefined) throw invalidField('blocker_fid', 'or blocked_fid is required')
  const [relation, cursors] =
    blocker_fid === undefined ? (['blockers', byBlocker] as const) : (['blocked', byBlocked] as const)
  const found = await listRelations(db, relation, owner, limit + 1, cursors.decode(cursor))
  return cursors.page(found, limit, (last) => [last.since, last.fid])
}

/** Operations on blocks. */
export const blockOperations: readonly Operation[] = [block, unblock, blockList]
