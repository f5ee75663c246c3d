import { Type } from '@sinclair/typebox'
import { cursorKind, keyPart } from '../../../api/cursor.js'
import {
  cursorParameter,
  limitParameter,
  numberParameter,
  viewerFidParameter,
} from '../../../api/parameters.js'
import { hiddenFidsFor } from '../../../api/viewer.js'
import { MAX_DISTANCE_KM, readNearbyUsers } from '../../../graph/query/users-by-location.js'
import { jsonArray } from '../../../graph/view/json.js'
import { UsersResponse } from '../../../graph/view/schema/user.js'
import { defineOperation } from '../../operation.js'

const cursors = cursorKind('users near', keyPart.number, keyPart.integer)

/** `GET user/by_location` */
export const usersByLocation = defineOperation({
  method: 'GET',
  path: 'user/by_location',
  tag: 'Users',
  summary: 'Fetch users by location',
  description:
    `Users whose profile location is within ${MAX_DISTANCE_KM} km of the point, nearest first. Users ` +
    'without a location are never listed.',
  query: Type.Object({
    latitude: numberParameter({
      minimum: -90,
      maximum: 90,
      description: 'Latitude in degrees.',
      examples: [52.52],
    }),
    longitude: numberParameter({
      minimum: -180,
      maximum: 180,
      description: 'Longitude in degrees.',
      examples: [13.4],
    }),
    viewer_fid: viewerFidParameter,
    limit: limitParameter({ maximum: 100, default: 25 }),
    cursor: cursorParameter,
  }),
  reply: UsersResponse,

  async handle({ db, hydrator }, { latitude, longitude, viewer_fid, limit, cursor }, caller) {
    const after = cursors.decode(cursor)
    const hidden = await hiddenFidsFor({ db, hydrator }, caller, viewer_fid)
    const found = await readNearbyUsers(db, { latitude, longitude, hidden, limit: limit + 1 }, after)
    const { page, next } = cursors.page(found, limit, (last) => [last.km, last.fid])
    const users = await hydrator.users(
      page.map(({ fid }) => fid),
      viewer_fid,
    )
    return `{"users":${jsonArray(page.flatMap(({ fid }) => users.get(fid) ?? []))},"next":${JSON.stringify(next)}}`
  },
})
