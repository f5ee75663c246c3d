import { Type } from '@sinclair/typebox'
import { cursorKind, keyPart } from '../../../api/cursor.js'
import { invalidField } from '../../../api/invalid-field.js'
import {
  cursorParameter,
  limitParameter,
  textParameter,
  viewerFidParameter,
} from '../../../api/parameters.js'
import { viewerOf } from '../../../api/viewer.js'
import { loadHiddenFids } from '../../../graph/query/visibility-filter.js'
import { jsonArray } from '../../../graph/view/json.js'
import { UsersResponse } from '../../../graph/view/schema/user.js'
import { defineOperation } from '../../operation.js'
import { channelExists, channelFollowers } from '../queries.js'

const cursors = cursorKind('channel followers', keyPart.integer, keyPart.integer)

/** `GET channel/followers` */
export const channelFollowersOperation = defineOperation({
  method: 'GET',
  path: 'channel/followers',
  tag: 'Channel',
  summary: 'Who follows a channel, the newest first',
  query: Type.Object({
    id: textParameter({ maxLength: 256, description: 'The channel.' }),
    viewer_fid: viewerFidParameter,
    limit: limitParameter({ maximum: 1000, default: 25 }),
    cursor: cursorParameter,
  }),
  reply: UsersResponse,

  async handle({ db, hydrator }, { id, viewer_fid, limit, cursor }, caller) {
    const hidden = await loadHiddenFids(db, await viewerOf({ db, hydrator }, caller, viewer_fid))
    const keys = await channelFollowers(db, id, limit + 1, cursors.decode(cursor), hidden)
    if (keys.length === 0 && !(await channelExists(db, id))) throw invalidField('id', 'is no channel')
    const page = keys.slice(0, limit)
    const users = await hydrator.users(
      page.map(({ fid }) => fid),
      viewer_fid,
    )
    const last = keys.length > limit ? page.at(-1) : undefined
    const next = { cursor: last ? cursors.encode([last.followedAt, last.fid]) : null }
    return `{"users":${jsonArray(page.flatMap(({ fid }) => users.get(fid) ?? []))},"next":${JSON.stringify(next)}}`
  },
})
