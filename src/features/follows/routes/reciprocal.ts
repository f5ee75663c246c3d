import { Type } from '@sinclair/typebox'
import { cursorKind, keyPart } from '../../../api/cursor.js'
import {
  choiceParameter,
  cursorParameter,
  fidParameter,
  limitParameter,
  viewerFidParameter,
} from '../../../api/parameters.js'
import { hiddenFidsFor } from '../../../api/viewer.js'
import { type ReciprocalRow, readReciprocal } from '../../../graph/query/follows-between.js'
import { dateTimeOf } from '../../../graph/view/formats.js'
import { jsonArray } from '../../../graph/view/json.js'
import { ReciprocalFollowersResponse } from '../../../graph/view/schema/follower.js'
import { unixSecondsFromFarcasterSeconds } from '../../../protocol/time.js'
import { defineOperation } from '../../operation.js'

const orders = {
  desc_chron: {
    order: 'time',
    cursors: cursorKind('reciprocal by time', keyPart.integer, keyPart.integer),
    keyOf: ({ ts }: ReciprocalRow) => ts,
  },
  algorithmic: {
    order: 'popularity',
    cursors: cursorKind('reciprocal by popularity', keyPart.number, keyPart.integer),
    keyOf: ({ popularity }: ReciprocalRow) => popularity,
  },
} as const

/** `GET followers/reciprocal` */
export const reciprocalFollowers = defineOperation({
  method: 'GET',
  path: 'followers/reciprocal',
  tag: 'Follows',
  summary: 'Fetch reciprocal followers of a user',
  description:
    'Users who follow the user and are followed back. `timestamp` is the later of the two follows. ' +
    '`sort_type=algorithmic` orders by `(1 + ln(1 + followers)) * (0.1 + score)`, highest first.',
  query: Type.Object({
    fid: fidParameter({ description: 'Fid of the user.' }),
    viewer_fid: viewerFidParameter,
    sort_type: choiceParameter(['desc_chron', 'algorithmic'], {
      default: 'algorithmic',
      description: 'Newest first, or by popularity.',
    }),
    limit: limitParameter({ maximum: 100, default: 25 }),
    cursor: cursorParameter,
  }),
  reply: ReciprocalFollowersResponse,

  async handle({ db, hydrator }, { fid, viewer_fid, sort_type, limit, cursor }, caller) {
    const { order, cursors, keyOf } = orders[sort_type]
    const after = cursors.decode(cursor)
    const hidden = await hiddenFidsFor({ db, hydrator }, caller, viewer_fid)
    const found = await readReciprocal(db, { fid, hidden, limit: limit + 1, order }, after)
    const { page, next } = cursors.page(found, limit, (last) => [keyOf(last), last.fid])
    const users = await hydrator.users(
      page.map((row) => row.fid),
      viewer_fid,
    )
    const followers = page.flatMap((row) => {
      const user = users.get(row.fid)
      const timestamp = dateTimeOf(unixSecondsFromFarcasterSeconds(row.ts))
      return user ? [`{"object":"reciprocal_follower","user":${user},"timestamp":"${timestamp}"}`] : []
    })
    return `{"users":${jsonArray(followers)},"next":${JSON.stringify(next)}}`
  },
})
