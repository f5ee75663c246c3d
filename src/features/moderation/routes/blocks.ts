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

/** Whom to block, as the published client sends it. */
export const BlockReqBody = Type.Object({
  signer_uuid: signerUuidMember,
  blocked_fid: fidParameter({ minimum: 0, description: 'Whom to block.' }),
})

/** Blocks and their ends are messages of the protocol: links of this type. */
const linkType = 'block'

/** Blocks somebody, or no longer. What is so already stays as it is. */
async function changeBlock(
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

/** `POST block` */
export const block = defineOperation({
  method: 'POST',
  path: 'block',
  tag: 'Mute, block, ban',
  summary: 'Blocks a user',
  description: 'Neither sees the other in lists from now on. Blocks are public: messages of the protocol.',
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
  tag: 'Mute, block, ban',
  summary: 'Ends a block',
  description: 'Who is not blocked stays so, and the answer is a success.',
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
  tag: 'Mute, block, ban',
  summary: 'Whom a user blocks, or who blocks a user, the newest first',
  description:
    'At least one of `blocker_fid` and `blocked_fid` is needed; with both, the one block that there may be.',
  query: Type.Object({
    blocker_fid: Type.Optional(fidParameter({ description: 'Who blocks.' })),
    blocked_fid: Type.Optional(fidParameter({ description: 'Who is blocked.' })),
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
    // One block has no second page.
    if (cursor !== undefined) throw invalidField('cursor', 'goes with one of blocker_fid and blocked_fid')
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
