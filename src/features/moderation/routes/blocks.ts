import { MessageType } from '@farcaster/core'
import { Type } from '@sinclair/typebox'
import type { Caller } from '../../../api/caller.js'
import { cursorKind, keyPart } from '../../../api/cursor.js'
import { invalidField } from '../../../api/invalid-field.js'
import { cursorParameter, fidParameter, limitParameter } from '../../../api/parameters.js'
import { dateTimeOf } from '../../../graph/view/formats.js'
import { jsonArray } from '../../../graph/view/json.js'
import { OperationResponse } from '../../../graph/view/schema/operation-response.js'
import { BlockListResponse } from '../../../graph/view/schema/relation.js'
import { unixSecondsFromFarcasterSeconds } from '../../../protocol/time.js'
import { defineOperation, type OperationContext } from '../../operation.js'
import { publishChange } from '../../publishing/changes.js'
import { actAs, mayNotAct, signerUuidMember } from '../../publishing/routes/acting.js'
import { type BlockRow, findBlock, listBlocked, listBlockers } from '../blocks.js'
import { requireUsers } from './relation-list.js'

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
  return await actAs(context, { signerUuid, caller, permission: 'any write' }, async (author) => {
    if (author.fid === targetFid) throw invalidField('blocked_fid', 'must be another user')
    // An unregistered user can still be unblocked.
    if (action === 'block') await requireUsers(context.writerDb, [targetFid], 'blocked_fid')
    const type = action === 'block' ? MessageType.LINK_ADD : MessageType.LINK_REMOVE
    await publishChange(context, author, { type, linkBody: { type: linkType, targetFid } })
    return { success: true, message: action === 'block' ? 'blocked' : 'not blocked' }
  })
}

/** `POST block` */
export const block = defineOperation({
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
export const unblock = defineOperation({
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

interface BlockListQuery {
  readonly blocker_fid?: number
  readonly blocked_fid?: number
  readonly limit: number
  readonly cursor?: string
}

interface BlockPage {
  readonly page: readonly BlockRow[]
  readonly next: { readonly cursor: string | null }
}

/** `GET block/list` */
export const blockList = defineOperation({
  method: 'GET',
  path: 'block/list',
  tag: 'Moderation',
  summary: 'Fetch blocked or blocking fids',
  description:
    'Newest first. `blocker_fid` or `blocked_fid` is required; with both, the reply has the one block ' +
    'between them, if there is one.',
  query: Type.Object({
    blocker_fid: Type.Optional(fidParameter({ description: 'Fid of the blocking user.' })),
    blocked_fid: Type.Optional(fidParameter({ description: 'Fid of the blocked user.', examples: [] })),
    limit: limitParameter({ maximum: 100, default: 20 }),
    cursor: cursorParameter,
  }),
  reply: BlockListResponse,

  async handle({ db, hydrator }, listQuery) {
    const { page, next } = await pageOf(db, listQuery)
    const users = await hydrator.users(page.flatMap(({ blockerFid, blockedFid }) => [blockerFid, blockedFid]))
    const records = page.map(({ blockerFid, blockedFid, ts }) => {
      const [blocker, blocked] = [users.get(blockerFid), users.get(blockedFid)]
      const blockedAt = dateTimeOf(unixSecondsFromFarcasterSeconds(ts))
      const userMembers = `${blocker ? `"blocker":${blocker},` : ''}${blocked ? `"blocked":${blocked},` : ''}`
      return `{"object":"block",${userMembers}"blocked_at":"${blockedAt}"}`
    })
    return `{"blocks":${jsonArray(records)},"next":${JSON.stringify(next)}}`
  },
})

async function pageOf(db: OperationContext['db'], listQuery: BlockListQuery): Promise<BlockPage> {
  const { blocker_fid, blocked_fid, limit, cursor } = listQuery
  if (blocker_fid !== undefined && blocked_fid !== undefined) {
    // A single block has no second page.
    if (cursor !== undefined)
      throw invalidField('cursor', 'cannot be used with both blocker_fid and blocked_fid')
    const found = await findBlock(db, blocker_fid, blocked_fid)
    return { page: found ? [found] : [], next: { cursor: null } }
  }
  if (blocker_fid !== undefined) {
    const found = await listBlocked(db, blocker_fid, limit + 1, byBlocked.decode(cursor))
    return byBlocked.page(found, limit, ({ ts, blockedFid }) => [ts, blockedFid])
  }
  if (blocked_fid === undefined) throw invalidField('blocker_fid', 'or blocked_fid is required')
  const found = await listBlockers(db, blocked_fid, limit + 1, byBlocker.decode(cursor))
  return byBlocker.page(found, limit, ({ ts, blockerFid }) => [ts, blockerFid])
}
