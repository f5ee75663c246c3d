import { Type } from '@sinclair/typebox'
import { cursorKind, keyPart } from '../../../api/cursor.js'
import { invalidField } from '../../../api/invalid-field.js'
import {
  cursorParameter,
  fidParameter,
  limitParameter,
  textParameter,
  viewerFidParameter,
} from '../../../api/parameters.js'
import { hiddenFidsFor } from '../../../api/viewer.js'
import { jsonArray } from '../../../graph/view/json.js'
import { RelevantFollowersResponse } from '../../../graph/view/schema/follower.js'
import { UsersResponse } from '../../../graph/view/schema/user.js'
import { defineOperation } from '../../operation.js'
import { channelExists, channelFollowers, relevantChannelFollowers } from '../queries.js'

const cursors = cursorKind('channel followers', keyPart.integer, keyPart.integer)

/** `GET channel/followers` */
export const channelFollowersOperation = defineOperation({
  method: 'GET',
  path: 'channel/followers',
  tag: 'Channels',
  summary: 'Fetch followers of a channel',
  description: 'Most recent follow first. An unknown channel is a 400.',
  query: Type.Object({
    id: textParameter({ maxLength: 256, description: 'Id of the channel.', examples: ['gardening'] }),
    viewer_fid: viewerFidParameter,
    limit: limitParameter({ maximum: 1000, default: 25 }),
    cursor: cursorParameter,
  }),
  reply: UsersResponse,

  async handle({ db, hydrator }, { id, viewer_fid, limit, cursor }, caller) {
    const hidden = await hiddenFidsFor({ db, hydrator }, caller, viewer_fid)
    const keys = await channelFollowers(db, id, limit + 1, cursors.decode(cursor), hidden)
    if (keys.length === 0 && !(await channelExists(db, id))) throw invalidField('id', 'is not a channel')
    const { page, next } = cursors.page(keys, limit, (last) => [last.followedAt, last.fid])
    const users = await hydrator.users(
      page.map(({ fid }) => fid),
      viewer_fid,
    )
    return `{"users":${jsonArray(page.flatMap(({ fid }) => users.get(fid) ?? []))},"next":${JSON.stringify(next)}}`
  },
})

/** Followers shown as full users. */
const maxTop = 3

/** `GET channel/followers/relevant` */
export const channelFollowersRelevant = defineOperation({
  method: 'GET',
  path: 'channel/followers/relevant',
  tag: 'Channels',
  summary: 'Fetch relevant followers of a channel',
  description:
    'Followers of the channel whom the viewer follows, best known first: the first three as full users, ' +
    'and up to 200 as dehydrated ones.',
  query: Type.Object({
    id: textParameter({ maxLength: 256, description: 'Id of the channel.', examples: ['gardening'] }),
    viewer_fid: fidParameter({ description: 'Fid of the viewer, whose follows count.', examples: [191] }),
  }),
  reply: RelevantFollowersResponse,

  async handle({ db, hydrator }, { id, viewer_fid }, caller) {
    const hidden = await hiddenFidsFor({ db, hydrator }, caller, viewer_fid)
    const fids = await relevantChannelFollowers(db, id, viewer_fid, hidden)
    const users = await hydrator.users(fids.slice(0, maxTop), viewer_fid)
    const short = await hydrator.dehydratedUsers(fids)
    const top = fids.slice(0, maxTop).flatMap((fid) => {
      const user = users.get(fid)
      return user === undefined ? [] : [`{"object":"follower","user":${user}}`]
    })
    const all = fids.flatMap((fid) => {
      const user = short.get(fid)
      return user ? [{ object: 'follower_dehydrated', user }] : []
    })
    return (
      `{"top_relevant_followers_hydrated":${jsonArray(top)},` +
      `"all_relevant_followers_dehydrated":${JSON.stringify(all)}}`
    )
  },
})
