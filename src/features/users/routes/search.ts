import { Type } from '@sinclair/typebox'
import { cursorKind, keyPart } from '../../../api/cursor.js'
import { listJson, userItems } from '../../../api/list-json.js'
import {
  pagingParameters,
  pointParameters,
  textParameter,
  viewerFidParameter,
} from '../../../api/parameters.js'
import { hiddenFidsFor } from '../../../api/viewer.js'
import { MAX_DISTANCE_KM, readNearbyUsers } from '../../../graph/query/users-nearby.js'
import { searchUsers } from '../../../graph/query/users-search.js'
import { json } from '../../../graph/view/json.js'
import { UsersResponse } from '../../../graph/view/schema/user.js'
import { defineOperation } from '../../operation.js'
import { UserSearchResponse } from '../schema/user.js'

const cursors = cursorKind('users found', keyPart.int4, keyPart.number, keyPart.integer)

/** `GET user/search` */
export const userSearch = defineOperation({
  method: 'GET',
  path: 'user/search',
  isPublic: true,
  tag: 'Users',
  summary: 'Search for usernames',
  description:
    'Order: the exact username, usernames that start with the text, display names that start with it, ' +
    'then (from three letters on) names and words of display names that are similar. Equal matches are ' +
    'ordered by users whom the viewer follows, then by `(1 + ln(1 + followers)) * (0.1 + score)`. Case ' +
    'does not matter. If more than 100 names share a prefix, the 50 best known are searched.',
  query: Type.Object({
    q: textParameter({ description: 'Search text. A leading `@` is ignored.', examples: ['dw'] }),
    viewer_fid: viewerFidParameter,
    ...pagingParameters(10, 5),
  }),
  reply: UserSearchResponse,

  async handle({ db, hydrator }, { q, viewer_fid, limit, cursor }, caller) {
    const after = cursors.decode(cursor) ?? undefined
    const text = q.trim().replace(/^@/, '')
    const hidden = await hiddenFidsFor({ db, hydrator }, caller, viewer_fid)
    const search = { text, viewerFid: viewer_fid, hidden, limit: limit + 1 }
    const found = text === '' ? [] : await searchUsers(db, search, after)
    const { page, next } = cursors.page(found, limit, (last) => [last.tier, last.weight, last.fid])
    return json`{"result":${listJson('users', await userItems(hydrator, page, viewer_fid), next)}}`
  },
})

const distanceCursors = cursorKind('users near', keyPart.number, keyPart.integer)

/** `GET user/by_location` */
export const usersByLocation = defineOperation({
  method: 'GET',
  path: 'user/by_location',
  isPublic: true,
  tag: 'Users',
  summary: 'Fetch users by location',
  description:
    `Users whose profile location is within ${MAX_DISTANCE_KM} km of the point, nearest first. Users ` +
    'without a location are never listed.',
  query: Type.Object({
    ...pointParameters,
    viewer_fid: viewerFidParameter,
    ...pagingParameters(100, 25),
  }),
  reply: UsersResponse,

  async handle({ db, hydrator }, { latitude, longitude, viewer_fid, limit, cursor }, caller) {
    const after = distanceCursors.decode(cursor)
    const hidden = await hiddenFidsFor({ db, hydrator }, caller, viewer_fid)
    const found = await readNearbyUsers(db, { latitude, longitude, hidden, limit: limit + 1 }, after)
    const { page, next } = distanceCursors.page(found, limit, (last) => [last.km, last.fid])
    return listJson('users', await userItems(hydrator, page, viewer_fid), next)
  },
})
