import { Type } from '@sinclair/typebox'
import { cursorKind, keyPart } from '../../../api/cursor.js'
import { invalidField } from '../../../api/invalid-field.js'
import { cursorParameter, fidParameter, limitParameter } from '../../../api/parameters.js'
import { dateTimeOf } from '../../../graph/view/formats.js'
import { jsonArray } from '../../../graph/view/json.js'
import { BlockListResponse } from '../../../graph/view/schema/relation.js'
import { unixSecondsFromFarcasterSeconds } from '../../../protocol/time.js'
import { defineOperation, type OperationContext } from '../../operation.js'
import { type BlockRow, findBlock, listBlocked, listBlockers } from '../blocks.js'

const byBlocked = cursorKind('blocked by a user', keyPart.integer, keyPart.integer)
const byBlocker = cursorKind('blockers of a user', keyPart.integer, keyPart.integer)

interface BlockListQuery {
  readonly blocker_fid?: number
  readonly blocked_fid?: number
  readonly limit: number
  readonly cursor?: string
}

interface BlockPage {
  readonly blocks: readonly BlockRow[]
  readonly next: string | null
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
    const { blocks, next } = await pageOf(db, listQuery)
    const users = await hydrator.users(
      blocks.flatMap(({ blockerFid, blockedFid }) => [blockerFid, blockedFid]),
    )
    const records = blocks.map(({ blockerFid, blockedFid, ts }) => {
      const [blocker, blocked] = [users.get(blockerFid), users.get(blockedFid)]
      const blockedAt = dateTimeOf(unixSecondsFromFarcasterSeconds(ts))
      const userMembers = `${blocker ? `"blocker":${blocker},` : ''}${blocked ? `"blocked":${blocked},` : ''}`
      return `{"object":"block",${userMembers}"blocked_at":"${blockedAt}"}`
    })
    return `{"blocks":${jsonArray(records)},"next":${JSON.stringify({ cursor: next })}}`
  },
})

async function pageOf(db: OperationContext['db'], listQuery: BlockListQuery): Promise<BlockPage> {
  const { blocker_fid, blocked_fid, limit, cursor } = listQuery
  if (blocker_fid !== undefined && blocked_fid !== undefined) {
    // One block has no second page.
    if (cursor !== undefined) throw invalidField('cursor', 'goes with one of blocker_fid and blocked_fid')
    const found = await findBlock(db, blocker_fid, blocked_fid)
    return { blocks: found ? [found] : [], next: null }
  }
  if (blocker_fid !== undefined) {
    const found = await listBlocked(db, blocker_fid, limit + 1, byBlocked.decode(cursor))
    return toPage(found, limit, ({ ts, blockedFid }) => byBlocked.encode([ts, blockedFid]))
  }
  if (blocked_fid === undefined) throw invalidField('blocker_fid', 'or blocked_fid is required')
  const found = await listBlockers(db, blocked_fid, limit + 1, byBlocker.decode(cursor))
  return toPage(found, limit, ({ ts, blockerFid }) => byBlocker.encode([ts, blockerFid]))
}

function toPage(found: readonly BlockRow[], limit: number, encode: (last: BlockRow) => string): BlockPage {
  const blocks = found.slice(0, limit)
  const last = found.length > limit ? blocks.at(-1) : undefined
  return { blocks, next: last ? encode(last) : null }
}
